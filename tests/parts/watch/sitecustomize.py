"""Imported first by every Python interpreter whose PYTHONPATH contains this folder."""

import os

import sqlite_files

if report := os.environ.get(sqlite_files.REPORT):
    sqlite_files.SqliteFiles(report, only_while_open=False).install()
