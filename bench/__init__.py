"""What assay costs, beside its peers, as ratios within one run (docs/bench.md)."""
