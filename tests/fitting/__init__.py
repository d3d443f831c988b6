"""Fits of customers to choices."""
