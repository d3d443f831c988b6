"""What every entry of the catalogue has to keep to."""
