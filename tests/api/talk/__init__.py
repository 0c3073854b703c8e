"""__init__.py - makes the folder a package, without code."""
