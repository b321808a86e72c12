"""Commands that locate, match and explain places in files and snapshots, without a build."""
