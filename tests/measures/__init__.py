"""What is reported of a set of runs."""
