"""A standing hunt: random scenarios through both engines, mutated files through the checks."""
