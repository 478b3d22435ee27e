"""The tables and sentences of a page that every rendering shares."""
