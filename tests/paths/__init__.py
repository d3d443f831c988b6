"""Tests of the history paths."""
