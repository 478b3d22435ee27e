"""Readers of lmbench."""
