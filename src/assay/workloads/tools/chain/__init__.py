"""The reference chain: generation, simulation, electronics, calibration, reconstruction, selection."""
