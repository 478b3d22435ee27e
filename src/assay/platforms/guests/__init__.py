"""Guests of ours: their domain, disk, seed and keys, their boot, and what they are read back to be."""
