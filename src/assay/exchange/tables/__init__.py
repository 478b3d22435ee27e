"""Tables of measurements that others bring, as CSV or from Python: cells with their places, read as measured
runs.
"""
