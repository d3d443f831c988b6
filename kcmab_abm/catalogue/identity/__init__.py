"""Digests of code and values, by which changes are detected."""
