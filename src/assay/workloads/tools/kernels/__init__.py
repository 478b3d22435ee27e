"""The probe's kernels: floating point, memory bandwidth, transactions and more."""
