"""The results of a run: statistics, differences, precision, tables."""
