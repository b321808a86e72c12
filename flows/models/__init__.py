"""Engines that read and write texts: their names, budgets and costs."""
