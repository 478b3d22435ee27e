"""Where trials run: one module for each kind of place; the conductor opens all of them by one door."""
