"""Choose the candidates of queries: what a query asks for, and the points of each place for it.

Both the stage that ranks candidates and the gate that recomputes the ranking use this package.
"""
