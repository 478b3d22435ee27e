"""Factors of when the jobs of several guests start."""
