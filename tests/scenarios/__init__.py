"""Scenario files, good and bad."""
