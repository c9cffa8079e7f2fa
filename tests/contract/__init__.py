"""The interface as data: document, docs and code agree."""
