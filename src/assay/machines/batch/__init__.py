"""Machines that a site's batch system gives: a job holds the node, and SSH runs over the job's own channel.

Here belongs how nodes are asked for, held, entered and given back. What runs on one knows nothing of it.
"""
