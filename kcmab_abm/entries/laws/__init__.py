"""Reward laws, one per file."""
