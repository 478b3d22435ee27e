"""What was sampled over time: timelines, hosts, disks, waits, profiles."""
