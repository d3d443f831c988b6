"""The lab: its desk and its page, the page in a real browser."""
