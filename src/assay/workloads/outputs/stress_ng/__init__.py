"""Readers of stress-ng."""
