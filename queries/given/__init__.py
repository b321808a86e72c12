"""Read queries from users' own files, and report what was not understood."""
