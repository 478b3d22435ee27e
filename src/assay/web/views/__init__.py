"""One page a file: its context, and what is asked on it."""
