"""Policies, one a file."""
