"""Production beside the lab: a farm's jobs by class of node, and where a result does not stand for them."""
