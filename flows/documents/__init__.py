"""Commands that find, archive and read documents without building a snapshot."""
