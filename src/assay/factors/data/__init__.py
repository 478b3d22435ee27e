"""Factors of the data that workloads read, and of the file system that they write on."""
