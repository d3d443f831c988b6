"""The market as SimPy processes: interpreted event by event, so a debugger can follow it."""
