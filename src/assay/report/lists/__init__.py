"""Lists and small answers: scenes, workloads, factors, fingerprints, costs."""
