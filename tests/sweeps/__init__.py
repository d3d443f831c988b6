"""Sweeps over settings, and comparisons of two folders."""
