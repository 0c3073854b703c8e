"""check_webhooks.py - sends webhooks to receivers that work, are slow, hostile or down.

Each delivery is signed; the signature is checked with the code that server/README.md
shows. A delivery is sent once, even if several servers run. It is retried until a
receiver accepts it or a retry is pointless. It is sent only to permitted addresses. No
other request waits for it.
"""
import hmac
import json
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from talk.bodies import OPEN
from talk.raw import check, verdict
from talk.receiver import Receiver
from talk.server import HERE, Server
from talk.sql import sql

API = "/api/v1"


def shown():
    """Returns the function that server/README.md shows to receivers."""
    lines, code = open(os.path.join(HERE, "../../server/README.md")).read().split("\n"), []
    at = lines.index("    import hashlib, hmac, time")
    while lines[at].startswith("    ") or not lines[at]:
        code.append(lines[at][4:])
        at += 1
    names = {}
    exec("\n".join(code), names)  # the text is our own
    return names["genuine"]


class Boss:
    """An admin's requests to a server."""

    def __init__(self, server):
        self.server = server
        self.headers = {"Authorization": f"Bearer {server.token('admin')}"}

    def ask(self, method, path, body=None):
        status, answer = self.server.ask(method, API + path, json.dumps(body) if body else None,
                                         self.headers)
        return status, json.loads(answer) if answer else None

    def hook(self, url):
        status, hook = self.ask("POST", "/webhooks", {"url": url, "events": ["gate"]})
        assert status == 201, hook
        return hook

    def send_test(self, hook):
        return self.ask("POST", f"/webhooks/{hook['id']}/test")[1]["delivery"]

    def deliveries(self, hook):
        return self.ask("GET", f"/webhooks/{hook['id']}/deliveries?limit=500")[1]["items"]

    def ended(self, hook, tries=1):
        """Waits until each delivery of a webhook has this many attempts and this last
        answer, and returns the deliveries."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            items = self.deliveries(hook)
            if all(d["attempts"] >= tries and (d["delivered_at"] or d["error"]) for d in items):
                return items
            time.sleep(0.05)
        return items


def now(hook):
    """Makes a pending retry due now."""
    sql(f"UPDATE webhook_delivery SET next_attempt_at = now(), error = NULL WHERE next_attempt_at IS NOT NULL "
        f"AND webhook_id = {hook['id']}; NOTIFY kernsift_event")


def signed(boss, receiver):
    hook, genuine = boss.hook(receiver.url("/200/signed")), shown()
    began = time.monotonic()
    delivery = boss.send_test(hook)
    row = boss.ended(hook)[0]
    check(row["status"] == 200 and row["error"] is None and row["next_attempt_at"] is None
          and row["attempts"] == 1, f"taken: {row}")
    _, headers, body, at = receiver.deliveries[-1]
    check(at - began < 5, f"delivered at once, not {at - began} s later")
    signature = headers["Kernsift-Signature"]
    check(genuine(hook["secret"], signature, body), "the signature is genuine")
    check(not genuine(hook["secret"], signature, body + b" "),
          "the signature does not fit another body")
    check(not genuine("00" * 32, signature, body), "the signature does not fit another secret")
    for ago, fresh in ((200, True), (400, False)):
        then = str(int(time.time()) - ago)
        mac = hmac.new(bytes.fromhex(hook["secret"]), then.encode() + b"." + body, "sha256")
        check(genuine(hook["secret"], f"t={then},v1={mac.hexdigest()}", body) == fresh,
              f"signed {ago} s ago")
    check(headers["Kernsift-Event"] == "test" and headers["Kernsift-Delivery"] == str(delivery)
          and headers["Content-Type"] == "application/json", f"headers: {headers}")
    event = json.loads(body)
    check(event.pop("at") and event == {"event": "test", "project": None, "workload": None,
                                        "url": None}, f"the event: {event}")


def again(boss, receiver):
    hook = boss.hook(receiver.url("/again"))
    boss.send_test(hook)
    row = boss.ended(hook)[0]
    check(row["status"] == 500 and row["error"] == "the receiver answers 500"
          and row["next_attempt_at"] is not None and row["delivered_at"] is None, f"put off: {row}")
    now(hook)
    row = boss.ended(hook, 2)[0]
    check(row["status"] == 200 and row["attempts"] == 2 and row["delivered_at"],
          f"delivered by the second attempt: {row}")
    hook = boss.hook(receiver.url("/503"))
    boss.send_test(hook)
    waits = []
    for n in range(1, 9):
        row = boss.ended(hook, n)[0]
        waits += sql("SELECT round(extract(epoch FROM next_attempt_at - now()) / 10) FROM webhook_delivery "
                     f"WHERE id = {row['id']} AND next_attempt_at IS NOT NULL")
        now(hook)
    check(waits == ["3", "12", "60", "180", "720", "2160", "5400"], f"waits, in 10 s: {waits}")
    check(row["attempts"] == 8 and row["next_attempt_at"] is None and not row["delivered_at"],
          f"over: {row}")


def gone(boss, receiver):
    hook = boss.hook(receiver.url("/410"))
    sql("INSERT INTO webhook_delivery (webhook_id, event, body, next_attempt_at) "
        f"SELECT {hook['id']}, 'gate', '{{}}', now() + interval '1 day' FROM generate_series(1, 3)")
    boss.send_test(hook)
    rows = boss.ended(hook, 0)
    check(all(r["next_attempt_at"] is None and r["error"] == "the receiver answers 410: it wants no more"
              for r in rows) and len(rows) == 4, f"410 ends all: {rows}")
    check(receiver.times("/410") == 1, "and is called once")


def hostile(boss, receiver):
    """Each kind of failure has its own message, and each attempt ends."""
    hooks = {}
    for path in ("/away", "/body", "/head", "/interim", "/nonsense", "/404", "/trailer"):
        hooks[path] = boss.hook(receiver.url(path))
        boss.send_test(hooks[path])
    rows = {path: boss.ended(hook)[0] for path, hook in hooks.items()}
    check(rows["/away"]["error"] == "the receiver answers 307; redirects are not followed"
          and receiver.times("/200/away") == 0, f"redirect: {rows['/away']}")
    check(rows["/body"]["delivered_at"] and rows["/body"]["status"] == 200,
          f"an endless body: {rows['/body']}")
    check(rows["/trailer"]["delivered_at"] and rows["/trailer"]["status"] == 200
          and rows["/trailer"]["error"] is None, f"an answer with a trailer: {rows['/trailer']}")
    for path in ("/head", "/interim", "/nonsense"):
        check(rows[path]["error"] and rows[path]["status"] is None and rows[path]["next_attempt_at"],
              f"{path}: {rows[path]}")
    check(rows["/404"]["error"] == "the receiver answers 404", f"404: {rows['/404']}")
    end = time.monotonic() + 20
    while time.monotonic() < end and len(receiver.gave_up) < 3:
        time.sleep(0.1)
    check(sorted(receiver.gave_up) == ["/body", "/head", "/interim"],
          f"who pours is cut: {receiver.gave_up}")


def hanging(boss, receiver):
    """A receiver hangs. Uploads, answers and other receivers continue; the attempt ends
    after 10 s."""
    server = boss.server
    well = boss.hook(receiver.url("/200/well"))
    boss.send_test(well)
    check(boss.ended(well)[0]["delivered_at"], "the other receiver works")
    hooks = [boss.hook(receiver.url(f"/hang/{i}")) for i in range(20)]
    for hook in hooks:
        boss.send_test(hook)
    began = time.monotonic()
    while sum(receiver.times(f"/hang/{i}") for i in range(20)) < 4 and time.monotonic() < began + 30:
        time.sleep(0.01)
    slowest = 0
    for i in range(20):
        at = time.monotonic()
        status, _ = server.ask("POST", f"{API}/uploads?name=u{i}", OPEN + b"]}")
        slowest = max(slowest, time.monotonic() - at)
        check(status == 202, f"an upload meanwhile: {status}")
    check(slowest < 5, f"an upload took {slowest:.1f} s")
    boss.send_test(well)
    check(boss.ended(well)[0]["delivered_at"] and time.monotonic() - began < 9,
          "another receiver is called meanwhile")
    while sum(boss.deliveries(hook)[0]["error"] is not None for hook in hooks) < 4 \
            and time.monotonic() < began + 30:
        time.sleep(0.05)
    ended = [row for hook in hooks for row in boss.deliveries(hook) if row["error"]]
    check(len(ended) >= 4, f"attempts that ended: {len(ended)}")
    for row in ended:
        check("timed out" in (row["error"] or "").lower(),
              f"the error of a receiver that hangs: {row}")
    check(9 < time.monotonic() - began < 30, f"for 10 s: {time.monotonic() - began}")
    check(sum(p.startswith("/hang") for p, *_ in receiver.deliveries) <= 8,
          "at most eight deliveries at once")
    for hook in hooks:
        boss.ask("DELETE", f"/webhooks/{hook['id']}")


def unwritten(boss, receiver):
    """If a receiver's answer cannot be recorded, the server keeps the answer and
    records it later. No receiver is called twice."""
    hook = boss.hook(receiver.url("/200/unwritten"))
    sql("ALTER TABLE webhook_delivery ADD CONSTRAINT away CHECK (delivered_at IS NULL) NOT VALID")
    boss.send_test(hook)
    end = time.monotonic() + 30
    while "webhooks wait for the database" not in boss.server.text() and time.monotonic() < end:
        time.sleep(0.05)
    check(receiver.times("/200/unwritten") == 1, "it was called")
    check(boss.deliveries(hook)[0]["delivered_at"] is None, "the delivery is not recorded")
    sql("ALTER TABLE webhook_delivery DROP CONSTRAINT away")
    began = time.monotonic()
    row = boss.ended(hook)[0]
    check(row["status"] == 200 and row["attempts"] == 1 and time.monotonic() - began < 30,
          f"it is, once it can be: {row}")
    check(receiver.times("/200/unwritten") == 1, "and was called once")


def dropped(boss, receiver):
    hook = boss.hook(receiver.url("/hang/dropped"))
    boss.send_test(hook)
    boss.send_test(hook)
    while not receiver.times("/hang/dropped"):
        time.sleep(0.01)
    check(boss.ask("DELETE", f"/webhooks/{hook['id']}")[0] == 204, "deleted during a delivery")
    check(sql(f"SELECT count(*) FROM webhook_delivery WHERE webhook_id = {hook['id']}") == ["0"],
          "nothing waits for it")


def crowded(boss, receiver):
    """Two servers share one queue: each delivery is sent once."""
    hooks = [boss.hook(receiver.url(f"/200/crowd/{i}")) for i in range(5)]
    ids = ",".join(str(h["id"]) for h in hooks)
    with Server("--webhook-private", "127.0.0.0/8") as other:
        sql("INSERT INTO webhook_delivery (webhook_id, event, body) SELECT w, 'gate', '{}' "
            f"FROM unnest(ARRAY[{ids}]) w, generate_series(1, 20); NOTIFY kernsift_event")
        for hook in hooks:
            rows = boss.ended(hook)
            check(len(rows) == 20 and all(r["attempts"] == 1 and r["status"] == 200 for r in rows),
                  f"each is taken at once: {[r['attempts'] for r in rows]}")
        check(other.stop() == 0 and not other.complaints(), other.complaints())
    seen = [h["Kernsift-Delivery"] for p, h, *_ in receiver.deliveries if p.startswith("/200/crowd")]
    check(len(seen) == 100 and len(set(seen)) == 100,
          f"{len(seen)} deliveries, {len(set(seen))} of them different")


def refused(receiver):
    """Without permission, the server does not call addresses of this machine, however
    they are written."""
    with Server() as server:
        boss = Boss(server)
        urls = [receiver.url("/200/private", host) for host in
                ("localhost", "127.1", "0x7f000001", "2130706433", "017700000001",
                 "[::ffff:127.0.0.1]", "[::1]", "0.0.0.0", "127.0.0.1")]
        for url in urls:
            sql("INSERT INTO webhook (url, secret, events, created_by) VALUES "
                f"('{url}', decode(repeat('00', 32), 'hex'), '{{gate}}', 'a test')")
        sql("INSERT INTO webhook (url, secret, events, created_by) VALUES "
            "('file:///etc/passwd', decode(repeat('00', 32), 'hex'), '{gate}', 'a test')")
        hooks = [h for h in boss.ask("GET", "/webhooks?limit=500")[1]["items"]
                 if h["created_by"] == "a test"]
        check(len(hooks) == len(urls) + 1, "every webhook is listed")
        for hook in hooks:
            boss.send_test(hook)
        for hook in hooks:
            error = boss.ended(hook)[0]["error"] or ""
            private = "leads to no public address; see --webhook-private" in error
            check(private or hook["url"].startswith("file:") and "neither with" in error,
                  f"{hook['url']}: {error}")
            check("localhost" not in hook["url"] or "127.0.0.1" not in error and "::1" not in error,
                  f"the address behind a name is not shown: {error}")
        check("'localhost' leads to " in server.text(), "the address is in the log")
        check(receiver.times("/200/private") == 0, "no receiver was called")
        check(boss.ask("POST", "/webhooks", {"url": urls[0], "events": ["gate"]})[0] == 400,
              "localhost is refused at once")
        check(server.stop() == 0, "a clean stop")
        check(not server.complaints(), server.complaints())


with Receiver() as far, Server("--webhook-private", "127.0.0.0/8") as near:
    admin = Boss(near)
    for case in (signed, again, gone, hostile, hanging, crowded, unwritten, dropped):
        case(admin, far)
    # one of the receivers still hangs
    start = time.monotonic()
    check(near.stop() == 0, "a clean stop")
    check(time.monotonic() - start < 10, f"the stop took {time.monotonic() - start:.1f} s")
    refused(far)
    verdict(near)
