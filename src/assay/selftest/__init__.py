"""What of assay a machine tries by itself: above all what could never be run where assay is built.

Belongs here: the checks with what each needs of a machine, running them, the file to send back. Does not
belong here: how a scene is evaluated, how a level is looked at.
"""
