"""Readers of sysbench."""
