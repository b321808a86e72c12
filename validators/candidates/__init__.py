"""Candidates of queries: what a query asks for, what speaks for a place, and the choice.

The stage that ranks and the gate that ranks again both ask here.
"""
