"""Defines how a snapshot is built: the stages, their graph, the shards and the Prefect flow."""
