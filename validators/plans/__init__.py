"""Plans against a snapshot: checked, solved and scored."""
