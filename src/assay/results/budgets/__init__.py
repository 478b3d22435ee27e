"""Where a loss went: the budget of a result, from what its jobs used and waited for."""
