"""Folders and files: the home and what lies where in it, the markers of what is assay's, JSON of others."""
