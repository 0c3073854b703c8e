"""sql.py - sends statements directly to the PostgreSQL of with-postgres."""
import subprocess


def sql(text):
    """Runs a statement and returns its rows as lines."""
    return subprocess.run(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-c", text], check=True,
                          capture_output=True, text=True).stdout.splitlines()
