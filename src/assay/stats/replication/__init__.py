"""Blocks, sessions and machines: the paired loss, where scatter comes from, and what is not independent."""
