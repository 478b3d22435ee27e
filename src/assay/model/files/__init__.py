"""Folders, files, programs: the home and what lies where in it, the markers of what is assay's, JSON of
others, and programs that are run to their end.
"""
