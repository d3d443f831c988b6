"""The market of SimPy processes."""
