"""Decisions of customers, one per file."""
