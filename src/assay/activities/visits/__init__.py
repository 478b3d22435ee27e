"""What is open while the trials of a visit run, and what opens it: probes, guests, containers, settings,
watches.
"""
