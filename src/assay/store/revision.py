"""Which schema this assay has."""

SCHEMA_REVISION = "0007"
"""The newest revision under ``migrations/versions``; a test holds the two together."""
