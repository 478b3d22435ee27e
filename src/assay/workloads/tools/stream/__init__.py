"""STREAM."""
