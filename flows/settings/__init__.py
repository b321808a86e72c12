"""Defines the settings of a build: profiles, and the settings and secrets of a machine."""
