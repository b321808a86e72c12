"""Engines that read and write texts, with their budgets and costs."""
