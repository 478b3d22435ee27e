"""What every factor is made from: the factor itself, its levels, what it changes, by what it is verified."""
