"""The network of the benches: bridges and namespaces, the servers and daemons in it."""
