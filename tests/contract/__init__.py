"""The interface as data: document, docs and code say the same."""
