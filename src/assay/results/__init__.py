"""From an activity's plan, records and files to what is shown of it: rows, doubts, budgets, scans, timelines.

Here belongs how a result follows from its records: the same records always give the same page. Nothing here
runs a trial, waits or changes a record: it reads an activity's folder, and at most puts pictures beside it.
What a number means belongs to ``stats`` and ``explain``, what it looks like to ``report``.
"""
