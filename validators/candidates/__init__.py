"""Choose the candidates for queries, from what a query asks for and the points of each place.

Both the stage that ranks candidates and the gate that recomputes the ranking use this package.
"""
