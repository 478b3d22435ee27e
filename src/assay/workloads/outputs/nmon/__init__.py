"""Readers of nmon."""
