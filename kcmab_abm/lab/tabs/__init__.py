"""The three tabs of the lab's page: market, lessons, batch."""
