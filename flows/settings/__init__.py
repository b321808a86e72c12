"""What decides a build: profiles, and the settings of a machine with every secret."""
