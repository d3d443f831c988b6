"""Mutation testing of what decides money and choices: `python -m tests.mutation`."""
