"""Proofs of causes: their file, their outcome, and what they say beside a budget."""
