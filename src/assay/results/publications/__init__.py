"""Published figures beside those of a result."""
