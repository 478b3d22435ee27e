"""sysbench."""
