"""Searches for the settings of a guest that pay: each step of one is an activity like any other."""
