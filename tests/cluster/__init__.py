"""Many workers: processes, and the machines of a Dask cluster."""
