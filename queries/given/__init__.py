"""Queries that users bring: what a file holds, what each text asks for, what was not understood."""
