"""This machine as a carrier of guests: what it can, its settings for a visit, and how they are put back."""
