"""The documentation: its examples run, its site builds, its links lead somewhere."""
