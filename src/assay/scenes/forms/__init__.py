"""The words of scene files with their kinds and defaults: pydantic's models, and their messages."""
