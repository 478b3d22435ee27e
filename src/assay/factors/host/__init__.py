"""Factors of the host that carries guests: its kernel, its processors, its disks, its pages."""
