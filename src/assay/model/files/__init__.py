"""Folders and files: the home, what lies where in it, the markers of what is assay's, JSON that others wrote."""
