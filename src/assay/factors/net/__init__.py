"""Factors of virtual network cards."""
