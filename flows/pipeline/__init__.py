"""From inputs to a snapshot: the graph of stages, their shards, the run, the Prefect flow."""
