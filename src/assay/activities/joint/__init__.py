"""Trials of several guests at once: one record of all, their times, totals and doubts merged."""
