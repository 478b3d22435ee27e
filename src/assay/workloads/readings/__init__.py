"""The figures of a user's own program, read from what each copy wrote, and whether it succeeded. Pure."""

from assay.workloads.readings.errors import ReadingError
from assay.workloads.readings.figures import ReadFigures, read_figures
from assay.workloads.readings.pointer import parse_pointer
from assay.workloads.readings.success import exit_is_good, unmet
from assay.workloads.readings.wrote import Wrote

__all__ = [
    "ReadFigures",
    "ReadingError",
    "Wrote",
    "exit_is_good",
    "parse_pointer",
    "read_figures",
    "unmet",
]
