"""nmon."""
