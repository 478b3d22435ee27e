"""GNU time."""
