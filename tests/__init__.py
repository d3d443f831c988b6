"""What the package promises, checked."""
