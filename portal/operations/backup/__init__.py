"""Backups: the databases of portal and service, files, tenant files and keys, in a folder. Start with take.

A backup's folder holds each stored file once, under `files`, and one folder for each backup, named by its instant. A
backup is in progress while its folder's name ends in `.part`; the remains of an interrupted run are removed by the
next.

    take       make a backup, one at a time, and remove old ones
    restore    restore a backup to an empty installation, or verify it
    manifest   the stated contents of a backup, and the time of the last one
    dumps      one database at one instant → a file, and back
    files      stored files, copied once
"""
