"""Search providers: one file each, one protocol for all. See docs/web.md on how to add one."""
