"""What the probe costs, beside psutil, as ratios within one run (docs/bench.md)."""
