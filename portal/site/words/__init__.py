"""The text of pages: a page's language, search queries as addresses and in words, names of values."""
