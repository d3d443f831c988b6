"""The lab: a page on which a market is played, looked at and taken apart."""
