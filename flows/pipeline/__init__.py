"""Builds a snapshot. Contains the graph of stages, their shards, the run and the Prefect flow."""
