"""hyperfine."""
