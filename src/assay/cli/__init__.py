"""Where people enter by command: one file per command group, loaded when it is called.

Here belongs hearing and answering a person: options, printing, exit codes. What is done is done by
``activities`` and the rooms below; how it looks is said by ``report``.
"""

from assay.cli.entry import main

__all__ = ["main"]
