"""The newcomer's path: the steps of the pages, run as printed on a fresh machine, and timed."""
