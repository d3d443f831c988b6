"""Divergences, bounds, the stopping problem, history strings."""
