"""Factors of memory: size, source, huge pages, NUMA, ballooning, limits."""
