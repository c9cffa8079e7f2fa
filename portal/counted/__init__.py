"""What a process counts for /metrics; the processes of one server add up.

shared   the folder in which they add up, and what is there of those that have ended
figures  each counter
heard    events of the log and finished requests, counted
serving  how full a server is, measured every few seconds
"""
