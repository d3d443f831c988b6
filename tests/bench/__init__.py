"""The measurements measure what they say; how fast anything is, is never asserted."""
