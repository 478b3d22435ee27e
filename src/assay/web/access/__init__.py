"""Who may do what: persons, their roles, and how they are known."""
