"""How many inputs hypothesis tries: a few fixed ones in the gate, many random ones in a campaign.

``ASSAY_EXAMPLES=100000 pytest -m hypothesis`` tries so many random inputs for each property.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings
from hypothesis.configuration import set_hypothesis_home_dir

GATE_EXAMPLES = 40
CAMPAIGN = "ASSAY_EXAMPLES"


def choose_profile(examples: str | None) -> None:
    """Load the profile ``campaign`` with a number of examples, or ``gate`` where none is said.

    Neither has a deadline or judges how fast inputs are made: the machine may be busy. Nothing is kept in the
    tree.
    """
    set_hypothesis_home_dir(Path(tempfile.gettempdir()) / f"hypothesis-{os.getuid()}")
    calm = [HealthCheck.too_slow, HealthCheck.data_too_large]
    settings.register_profile(
        "gate", derandomize=True, deadline=None, max_examples=GATE_EXAMPLES, suppress_health_check=calm
    )
    settings.register_profile(
        "campaign",
        derandomize=False,
        database=None,
        deadline=None,
        max_examples=int(examples or GATE_EXAMPLES),
        print_blob=True,
        suppress_health_check=calm,
    )
    settings.load_profile("campaign" if examples else "gate")


def share(parts: int, *, seeded: bool = False) -> settings:
    """Return the profile's settings for one of several tests of a property that divide its inputs among them.

    Args:
        parts: How many tests.
        seeded: Inputs are seeds, of which no smaller one is a simpler input.
    """
    phases = (Phase.explicit, Phase.generate) if seeded else settings().phases
    return settings(max_examples=max(GATE_EXAMPLES, settings().max_examples // parts), phases=phases)
