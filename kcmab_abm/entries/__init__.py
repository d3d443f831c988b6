"""What scenario files call by name, written once and run by both engines: one entry, one file."""
