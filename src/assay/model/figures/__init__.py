"""What figures say: estimates, scans, what was published or measured elsewhere, what an ablation proved."""
