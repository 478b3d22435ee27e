"""Which settings pay: ask for evaluations, tell what they gave, and the smallest change-set in the end.

Nothing here runs anything; who asks may evaluate guests, a simulation or another program.
"""
