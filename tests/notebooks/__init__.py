"""Checks of the course's notebooks."""
