"""Lines around a tool's output that a shell or a script wrote, not the tool."""

from __future__ import annotations

import re

SHELL = re.compile(
    r"(?:[^\s@]+@[^\s:]+:\S*|\[[^\]]+@[^\]]+\])?[$#](?:\s|$)|={3,}\s.*\s={3,}\s*$"
    r"|(?:real|user|sys)\s+(?:\d+m[\d.,]+s|\d+[.,]\d+)\s*$|Script (?:started|done) on .*|nohup: "
    r"ignoring input.*"
)
"""A prompt, with the command behind it; ``====== netperf TCP_RR begin ======``; what ``time``, ``script``,
``nohup`` write.
"""
