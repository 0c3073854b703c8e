"""__init__.py - makes the folder a package; nothing lies here."""
