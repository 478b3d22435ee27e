"""How a result was measured, in sentences."""
