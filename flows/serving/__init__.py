"""Runs builds unattended, with a server and deployments; reports on builds and this machine."""
