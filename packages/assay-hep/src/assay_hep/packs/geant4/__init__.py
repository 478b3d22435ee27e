"""The pack ``geant4``: optical photons, or electrons, in a sphere of scintillator, by Geant4's own tracking.

The libraries are those of geant4-pybind; ``docs/geant4.md`` says what is simulated and what it stands for.
"""
