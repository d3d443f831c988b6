"""Laws, streams and expectations against what can be computed exactly."""
