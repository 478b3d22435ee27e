"""Factors of virtual processors: topology, model and features, pins and shares, threads, clocks,
KVM and TCG.
"""
