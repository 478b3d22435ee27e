"""From a scene to a plan: which trial runs when, and what it will take.

Here belongs every choice of what to run next. It draws only from the seed that it is given and does
not read a clock.
"""

from assay.design.cost import Cost, expected_cost
from assay.design.plan import plan_trials
from assay.design.remaining import remaining_trials
from assay.design.state import activity_state

__all__ = ["Cost", "activity_state", "expected_cost", "plan_trials", "remaining_trials"]
