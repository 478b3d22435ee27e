"""From the results of single machines to that of all of them."""
