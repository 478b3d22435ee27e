"""The tools: one folder each, the definition of its workload and the readers of its output together."""
