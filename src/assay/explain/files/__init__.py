"""What a job asks of its files: calls of the kernel, as strace tells of them, and what they add up to."""
