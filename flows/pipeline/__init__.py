"""Defines how a snapshot is built: the graph of stages, the shards, a run, the Prefect flow."""
