"""The door to a machine by SSH."""
