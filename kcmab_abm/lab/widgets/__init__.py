"""Reusable parts of the lab's page."""
