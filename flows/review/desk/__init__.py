"""The page on which people decide on rows:
what is asked first, what is shown, what they decided.
"""
