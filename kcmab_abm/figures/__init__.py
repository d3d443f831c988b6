"""Figures, one a file; the only part that knows matplotlib."""
