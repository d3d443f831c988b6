"""Reward laws, one a file."""
