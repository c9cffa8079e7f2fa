"""Encryption and keyed hashes of personal data at rest, and signed forms.

Text and addresses go in; sealed text, hashes and tokens that only this portal can open, compare or verify come out.
Start with `sealing`.

sealing       encryption and keyed hashes, one derived key for each use
signing       form tokens
normal_forms  Unicode normalisation of bounded text
"""
