"""One trial: its inputs and preparation, its job, what is watched meanwhile, its record, and when it is run
again.
"""
