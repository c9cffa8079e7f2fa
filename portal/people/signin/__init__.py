"""Sign-in: proof of an email address by a code, and the session that follows. Stores keyed hashes and sealed addresses.

An address and the browser's token come in; a code goes out by email, and a session token once the code is typed in.
Start with codes and sessions.

    tables       code requests and sessions
    codes        request a code, try a code, safe against concurrent tries; whether codes are sent in time
    sessions     open, use, close a session
    deliver      the outbox's handler: request → code by email, or an email that there is no record
"""
