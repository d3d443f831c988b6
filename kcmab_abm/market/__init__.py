"""The market as SimPy processes: interpreted, event by event, open to a debugger."""
