"""What speaks against a result: found, ranked, with the worst and the typical trial."""
