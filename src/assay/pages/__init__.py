"""What pages say, as data: the dataclasses that ``results`` fills and ``report`` shows.

Here belongs the documented context of each page, its JSON Schema, and how its numbers are written. Nothing
here computes a figure or knows a format.
"""
