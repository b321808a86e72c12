"""Commands on documents alone: find them on the web, archive them, read them."""
