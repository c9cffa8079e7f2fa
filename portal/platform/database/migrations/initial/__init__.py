"""The first schema, one module for each group of tables. Later migrations only add, and remove a release later."""
