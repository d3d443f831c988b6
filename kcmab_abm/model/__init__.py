"""The rules of the market, shared by both engines."""
