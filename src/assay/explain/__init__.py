"""Why a loss is there, and whether a figure can be what it says it is.

Here belongs what turns records into causes, doubts and bottlenecks, each with its figures. Nothing here opens
a file, reads a clock or formats a table; series come in as arrays.
"""
