"""What figures look like."""
