"""DB12, the fast benchmark of DIRAC."""
