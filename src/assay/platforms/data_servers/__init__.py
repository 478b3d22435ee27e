"""Servers of an activity's data on the bench network: GlusterFS, XRootD and NFS, for the activity's time.

Each runs in the network's server namespace, on the controller's cores, over the one copy of the data below
``home/data``. What runs in that namespace is ours, so that it is found and ended whoever started it.
"""
