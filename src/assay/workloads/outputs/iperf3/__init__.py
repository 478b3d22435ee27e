"""Readers of iperf3."""
