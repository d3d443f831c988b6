"""Customers' behaviours, one per file."""
