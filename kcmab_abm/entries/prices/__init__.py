"""Pricing rules, one per file: how much the controller offers."""
