"""What a build depends on: profiles, and a machine's settings and secrets."""
