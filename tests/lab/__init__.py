"""The lab: its model, and its page in a real browser."""
