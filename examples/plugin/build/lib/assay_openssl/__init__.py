"""An example of what a package adds to assay by entry points."""
