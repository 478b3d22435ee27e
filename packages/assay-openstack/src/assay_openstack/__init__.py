"""Instances of an OpenStack cloud as places to measure in.

Belongs here: all that knows OpenStack's own words. Does not belong here: how a place is planned, entered and
found after a crash (``assay``).
"""
