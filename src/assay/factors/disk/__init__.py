"""Factors of virtual disks: bus, driver, queues, cache, allocation, image format, the place on the host."""
