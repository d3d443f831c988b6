"""What code and values are, told by one digest."""
