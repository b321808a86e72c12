"""Read queries from users' own files, and report the parts that were not understood."""
