"""The conductor: executes a plan, and owns time, retries, clean-up and resume.

Here belongs the order of acts. What a number means belongs to ``stats``, what it looks like to
``report``, how a machine is touched to the doors.
"""
