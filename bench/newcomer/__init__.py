"""The newcomer's path: what the pages tell to do, done as printed on a fresh machine, and timed."""
