"""Folders and files: the home, the markers of what is assay's, where a site's own scenes lie, JSON that others wrote."""
