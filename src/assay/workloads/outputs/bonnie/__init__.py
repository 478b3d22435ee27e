"""Readers of Bonnie++."""
