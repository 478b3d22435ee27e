"""Readers of GNU time."""
