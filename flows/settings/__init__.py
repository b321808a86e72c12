"""Defines the settings for a build: profiles, and the settings and secrets on a machine."""
