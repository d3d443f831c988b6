"""What is counted beside regret and compensation, one measure per file."""
