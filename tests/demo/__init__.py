"""The demo: data, folder, process tree."""
