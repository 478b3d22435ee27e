"""Where trials run: machines, guests, containers, existing guests and those of other hypervisors, opened for a visit."""
