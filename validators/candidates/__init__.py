"""Choose the candidates for queries, based on what a query asks for and on the points of each
place.

The stage that ranks candidates and the gate that recomputes the ranking both use this package.
"""
