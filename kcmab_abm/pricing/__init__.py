"""How much the controller offers, one rule a file."""
