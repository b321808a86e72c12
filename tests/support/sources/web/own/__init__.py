"""A small web of our own: pages, a search engine over them, and the servers."""
