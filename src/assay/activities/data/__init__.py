"""The data of an activity as each arm has it: copied, mounted, read by URL, seen in it; and where its jobs
write.
"""
