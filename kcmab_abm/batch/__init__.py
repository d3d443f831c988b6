"""The market compiled: the same functions, looped over thousands of replications."""
