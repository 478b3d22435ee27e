"""Lines of time over events: fixed cost and slope, kinks, pure error, and the total."""
