"""Checks of the pages by third-party programs and published rules."""
