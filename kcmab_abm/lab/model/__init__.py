"""The lab without its web page."""
