"""Runs builds unattended: the server, its deployments, their status, and checks of this machine."""
