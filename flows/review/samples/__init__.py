"""Samples of rows that people judge as sentences, some of which are wrong on purpose."""
