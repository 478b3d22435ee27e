"""Readers of fio."""
