"""prmon."""
