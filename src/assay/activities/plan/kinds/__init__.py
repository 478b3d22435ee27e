"""What planning asks of each kind of place: one module for each kind, one line each in ``table``."""
