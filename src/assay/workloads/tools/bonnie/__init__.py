"""Bonnie++."""
