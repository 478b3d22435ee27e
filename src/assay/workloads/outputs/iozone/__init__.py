"""Readers of IOzone."""
