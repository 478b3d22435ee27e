"""Analysis of ROOT files by worker processes, as PROOF's: files that it makes itself, or anybody's.

Runs as ``assay_hep.packs.root`` here and as ``packs.root`` on an arm, where assay is not: it imports nothing
of assay's, and numpy, uproot and awkward only inside functions, since importing them is part of what is
timed.
"""
