"""Geant4 by its Python package."""
