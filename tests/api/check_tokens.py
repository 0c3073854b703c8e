"""check_tokens.py - --require_tokens: loopback is as far away as anywhere."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from talk.bodies import OPEN
from talk.raw import check, verdict
from talk.server import Server

with Server("--require_tokens") as server:
    check(server.ask("GET", "/healthz")[0] == 200, "health is for everybody")
    check(server.ask("GET", "/api/v1/runs")[0] == 401, "reading needs a token")
    check(server.ask("POST", "/api/v1/uploads", body=OPEN + b"]}")[0] == 401,
          "uploading needs a token")
    check(server.stop() == 0, "a clean stop")
    verdict(server)
