"""Saved states of guests: memory, devices and disk, kept and restored."""
