"""Measurements of speed and memory, side by side; never part of the tests."""
