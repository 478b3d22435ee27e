"""The words of the house as frozen values: no files, no clocks, no arithmetic beyond a unit's (but for
``files``, which looks at this machine for all rooms).

Here belongs what a thing *is called*: units, metrics, machines, trials, doubts, estimates, errors and
exit codes. Formulas live in ``stats``, choices in ``design``, everything that touches the world above.
"""
