"""What runs in a trial and what is watched meanwhile: workloads, phases, placement, page cache, storage."""
