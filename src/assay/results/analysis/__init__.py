"""The analysis of what was measured elsewhere."""
