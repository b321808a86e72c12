"""Queries from outside: what a file holds, what each text asks for, and what was not understood."""
