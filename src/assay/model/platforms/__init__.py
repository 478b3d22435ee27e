"""Platforms: guests, containers, existing guests, layouts of guests, the ways to data."""
