"""A connection to libvirt, with daemons of ours where none runs."""
