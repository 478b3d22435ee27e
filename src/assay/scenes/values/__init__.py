"""What a scene says, as values; and its words."""
