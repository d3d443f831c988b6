"""Customers' behaviours, one a file."""
