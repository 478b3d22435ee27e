"""Folders and files: the home, the markers of what is assay's, JSON that others wrote."""
