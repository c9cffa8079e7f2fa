"""Identity: sign-in by code, sessions, and the index from email addresses to candidates.

Addresses and candidate ids come in; only keyed hashes and sealed values are stored. Start with signin.codes and
index.index.
"""
