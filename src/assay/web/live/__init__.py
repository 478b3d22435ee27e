"""Activities as they go on: one look at each for all who follow it."""
