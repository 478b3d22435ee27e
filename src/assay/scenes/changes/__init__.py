"""A scene with something else in it: options of the command line, a scale, an ablation; and a
scene written.
"""
