"""Factors of a guest's own kernel."""
