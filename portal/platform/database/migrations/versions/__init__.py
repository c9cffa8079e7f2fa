"""The migrations of the portal's schema, one module for each."""
