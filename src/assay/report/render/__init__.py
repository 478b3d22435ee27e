"""Whole pages: text, Markdown, HTML and JSON."""
