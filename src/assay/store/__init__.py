"""What is kept: the records of trials as files, and the only SQL over them.

Here belongs reading and writing of activity folders (written once, never changed) and the database,
whose trials can be rebuilt from the records at any time. Statistics and texts belong elsewhere.
"""
