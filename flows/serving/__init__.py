"""Unattended runs: the server, its deployments, what runs, what is stale, what is reachable."""
