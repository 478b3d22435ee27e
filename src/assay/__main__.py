"""``python -m assay``: the command line, whatever the path of its script is."""

from assay.cli import main

main()
