"""assay: what a virtual platform costs a workload, with an honest interval."""

__version__ = "0.1.0"
