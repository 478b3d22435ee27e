"""netperf."""
