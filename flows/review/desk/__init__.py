"""The review page: which rows come first, what it shows, what people decide."""
