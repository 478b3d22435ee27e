"""perf stat."""
