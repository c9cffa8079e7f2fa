"""The client on real sockets, against servers that misbehave."""
