"""A class that plays a market: rooms, turns, deadlines and records, without any web."""
