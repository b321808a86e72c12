"""Unattended runs: the server, its deployments, their status, and checks of this machine."""
