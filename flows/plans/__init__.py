"""Commands that check, score, find and show plans for a snapshot's queries."""
