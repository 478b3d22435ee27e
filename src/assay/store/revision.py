"""The file of a home's own database, and the schema that this assay has."""

FILE = "assay.db"

SCHEMA_REVISION = "0012"
"""The newest revision under ``migrations/versions``; a test holds the two together."""
