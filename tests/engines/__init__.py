"""The two engines: equal to each other, and true to the model."""
