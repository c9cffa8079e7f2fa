"""Alerts: searches that people subscribed to by e-mail. Owns its tables.

tables      the tables
openings    which jobs are new: each is noted once, when it is first seen to be open
subscribing asked for, confirmed, renewed, ended
mornings    when an alert's next mail is due
telling     the worker's part: what is due is claimed and put among the letters; what is over is forgotten
health      how many there are
"""
