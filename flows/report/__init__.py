"""Write ``report.html``, a page about a snapshot that needs no other file and no network."""
