"""Reading of files."""
