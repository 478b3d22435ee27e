"""Readers of netperf."""
