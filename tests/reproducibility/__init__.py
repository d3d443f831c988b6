"""The same digest everywhere: engines, workers, processors, versions of the libraries."""
