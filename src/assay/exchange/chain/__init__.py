"""Files of the reference chain: their events as columns, and as ROOT trees."""
