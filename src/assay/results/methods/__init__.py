"""How a result was measured: gathered from the plan and the records."""
