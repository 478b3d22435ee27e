"""Files of the reference chain as ROOT files: read by ``assay.exchange.chain``, written by uproot."""

from assay_hep.chain_root.trees import OutputFileError, Tree, convert

__all__ = ["OutputFileError", "Tree", "convert"]
