"""From forms to values."""
