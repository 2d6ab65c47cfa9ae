"""Reads instructions whose words leave no doubt: for the rules, without a model."""
