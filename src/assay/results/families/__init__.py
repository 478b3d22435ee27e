"""Workloads that differ in one thing: scans, scaling curves, landscapes, layouts, and the weight
of guests.
"""
