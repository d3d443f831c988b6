"""Figures, one per file; the only part that imports matplotlib."""
