"""IOzone."""
