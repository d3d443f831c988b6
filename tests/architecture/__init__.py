"""How the modules may depend on each other."""
