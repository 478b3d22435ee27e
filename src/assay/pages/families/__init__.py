"""What pages say of families of workloads and of layouts: scans of event numbers, landscapes, scaling,
weights.
"""
