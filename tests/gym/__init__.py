"""Markets as Gymnasium environments."""
