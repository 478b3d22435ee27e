"""The analysis of a whole table that was measured elsewhere."""
