"""The rows of a result: figures of trials, work and clocks, corrections, the score, the site's
A/A history.
"""
