"""stress-ng."""
