"""Who reads and writes texts: engines by name, what they may spend, what they would cost."""
