"""Runs unattended builds with a server and deployments; reports on builds and on this machine."""
