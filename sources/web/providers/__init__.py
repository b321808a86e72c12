"""Search for documents with a provider; docs/web.md explains how to add a provider."""
