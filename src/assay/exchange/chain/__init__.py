"""Files of the reference chain: their events as columns, each checked."""
