"""Samples of rows that people judge as sentences. Some rows are wrong on purpose."""
