"""The built probe, driven from outside."""
