"""Commands that build, check, reword and import files of queries."""
