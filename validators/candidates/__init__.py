"""Choose the candidates for each query, based on what the query asks for and on each place's
points.

The stage that ranks candidates and the gate that recomputes the ranking both use this package.
"""
