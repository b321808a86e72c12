"""What reading a document takes in either language."""
