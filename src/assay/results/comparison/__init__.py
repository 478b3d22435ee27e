"""Two results side by side, and what else than time lies between them."""
