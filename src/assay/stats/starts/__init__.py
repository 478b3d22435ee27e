"""Jobs that start on one machine: how long they initialize, as others start beside them."""
