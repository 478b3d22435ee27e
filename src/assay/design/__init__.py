"""From a scene to a plan: which trial runs when, what it will take, and when it is enough.

Here belongs every choice of what to run next. It draws only from the seed that it is given and does
not read a clock.
"""

from assay.design.cost import Cost, Preparing, expected_cost
from assay.design.ending import ending_of
from assay.design.plan import plan_trials
from assay.design.remaining import Remaining, remaining_trials
from assay.design.state import activity_state

__all__ = [
    "Cost",
    "Preparing",
    "Remaining",
    "activity_state",
    "ending_of",
    "expected_cost",
    "plan_trials",
    "remaining_trials",
]
