"""Choose the candidates for each query from what the query asks for and the points of each place.

The stage that ranks candidates and the gate that recomputes the ranking both use this package.
"""
