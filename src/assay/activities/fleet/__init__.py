"""Activities on several machines: a lane for each, all conducted at once by one process."""
