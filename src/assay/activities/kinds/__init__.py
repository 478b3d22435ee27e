"""The kinds of places where trials run, one module for each; the conductor opens all of them by one door."""
