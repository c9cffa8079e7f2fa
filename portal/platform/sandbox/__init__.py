"""Inspects untrusted text and files in processes that can harm neither this one nor each other.

A file and a byte that selects the task go in, the bytes of a result come out. Start with `helper_process`.

helper_process  the caller's side: one helper process, started on demand and used by any thread
fork_server     the helper's side: forks a process for each file, and kills those that take too long
restrictions    what such a process may still do: read the one file, compute, respond
"""
