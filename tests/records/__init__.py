"""Tests of what is kept of a run: the ledger, and the journal from which it goes on."""
