"""What ``import assay`` gives: results, machines and scenes in Python, and the commands as functions.

Nothing is measured or computed here: every figure is that of the command of the same name.
"""
