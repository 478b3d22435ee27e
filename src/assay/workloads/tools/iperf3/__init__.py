"""iperf3."""
