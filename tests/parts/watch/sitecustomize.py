"""Read by every Python interpreter whose PYTHONPATH names this folder, before anything else."""

import os

import sqlite_files

if report := os.environ.get(sqlite_files.REPORT):
    sqlite_files.SqliteFiles(report, only_while_open=False).install()
