"""The lab: a page in the browser to play markets, take lessons and run batches."""
