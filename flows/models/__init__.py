"""Engines that read and write texts, and the budgets and costs of these engines."""
