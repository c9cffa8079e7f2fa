"""Backups: the databases of portal and service, files, tenant files and keys, in a folder. Start with take.

A backup's folder holds each stored file once, under `files`, and one folder for each backup, named by its instant. A
backup is in progress while its folder's name ends in `.part`; what an interrupted run leaves is removed by the next.

    take       make a backup, one at a time, and remove old ones
    restore    put a backup where there is nothing yet, or verify it
    manifest   what a backup says that it contains, and when the last was made
    dumps      one database at one instant → a file, and back
    files      stored files, copied once
"""
