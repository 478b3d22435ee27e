"""HEP's own benchmarks: HEPscore, hep-workloads, HEP-SPEC06."""
