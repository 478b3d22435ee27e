"""Readers of perf stat."""
