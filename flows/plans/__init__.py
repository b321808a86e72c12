"""Commands that check, score, find and show plans for the queries of a snapshot."""
