"""Guests that are there already: looked up and looked at, never changed.

All of it goes over read-only connections. QEMU's monitor is not asked: libvirt marks a domain whose monitor
was used as tainted, and that is a change.
"""
