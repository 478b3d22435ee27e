"""File systems and disks: a guest's own on its host, scratch disks, shared folders, what lies
under a path.
"""
