"""Plans against a snapshot: checked, scored and solved."""
