"""The lab's web server: access control and each visitor's page."""
