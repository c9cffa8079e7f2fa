"""Proving an address, and staying signed in. Codes and tokens are kept as keyed hashes, addresses sealed.

tables     code requests and sessions
codes      ask for a code, try one: where browsers race
lone_code  a code is the only number of its kind in its message
sessions   open, use, close
deliver    the outbox's handler: request → code by mail, or a letter that there is no record
"""
