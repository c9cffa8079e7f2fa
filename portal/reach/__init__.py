"""How jobs are found: structured data, sitemaps, feeds, and shapes that other programs know."""
