"""Machines, their clocks and fingerprints, and the A/A history of a site."""
