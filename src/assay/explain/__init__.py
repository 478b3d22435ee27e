"""Why a loss is there: what counters attribute, and what an ablation proves.

Here belongs every statement of a cause, as a pure function of what was measured. Nothing here opens a
file, reads a clock or runs a trial.
"""
