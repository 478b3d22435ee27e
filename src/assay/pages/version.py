"""Name and version of the report's format."""

SCHEMA = "assay.report"
VERSION = (1, 15)
"""Major, minor: a newer major is refused, a newer minor only adds fields."""
