"""What saved outputs of tools say: every figure with its unit and direction, a file or a folder a tool.

Each reader has ``read(output: bytes) -> ToolOutput``, pure and total: it returns what the output says, or raises
``OutputError`` with the line that it does not know. Nothing is guessed; what cannot be compared keeps its value and says
why (``not_comparable``). The ready workloads take their few metrics from the same readers.
"""

from assay.workloads.outputs.registry import KNOWS_NO_MEMORY, SAYS_ON_ERRORS, TOOLS, read_output, title

__all__ = ["KNOWS_NO_MEMORY", "SAYS_ON_ERRORS", "TOOLS", "read_output", "title"]
