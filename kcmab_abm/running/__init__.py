"""Running scenarios: chunks, pools, clusters, journals, result folders."""
