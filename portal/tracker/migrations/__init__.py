"""The migrations of the service's schema."""
