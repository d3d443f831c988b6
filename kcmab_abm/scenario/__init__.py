"""Scenario files: TOML in, checked and frozen objects out."""
