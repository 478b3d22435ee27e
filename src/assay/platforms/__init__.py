"""The door to virtual platforms: libvirt and its daemon, guests, their images, the network on the bench.

Here belongs what makes a guest, reads back what it really is, and removes every trace of it. What runs
inside a guest goes through ``machines``; when guests are started and stopped is up to ``activities``.
"""

from assay.platforms.pack_sources import PackSource

__all__ = ["PackSource"]
