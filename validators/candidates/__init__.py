"""Choose the candidates of queries: what a query asks for, and what speaks for each place.

The stage that ranks and the gate that ranks again both ask here.
"""
