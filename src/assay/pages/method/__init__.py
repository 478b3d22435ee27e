"""How a result was measured, as data: ``results`` gathers it from the plan and the records, ``report`` words
it.
"""
