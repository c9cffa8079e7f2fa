"""Settings: reads and checks every environment variable in one place; files that only the portal's user may read.

Environment variables go in, a Settings dataclass or a SettingsError comes out. Start with `settings`.

settings       the environment → Settings; a bad value stops the start
variables      reads a dataclass of settings from variables, and reports what is wrong or misspelt
private_files  files and folders of mode 0600 and 0700
"""
