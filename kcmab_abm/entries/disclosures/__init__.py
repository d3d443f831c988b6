"""Disclosures, one per file: what customers see of the record."""
