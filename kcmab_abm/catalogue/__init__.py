"""Named entries: definition, registration, checks, fingerprints, users' files."""
