"""lmbench."""
