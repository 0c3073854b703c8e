#!/usr/bin/python3
"""private_words.py - checks that users of the server never read PostgreSQL's words.

Makes a real PostgreSQL fail in each way that it can: a constraint, a trigger, a full disk, a
missing table, a deadlock, a canceled statement, a division by zero. The answers, and the
sentences of failed uploads, contain neither the message nor a name of the database, and the
log contains the message.
"""
import json

import running

TRACE = json.dumps({'traceEvents': [
    {'ph': 'X', 'cat': 'kernel', 'name': 'gemm', 'pid': 0, 'tid': 7, 'ts': 100, 'dur': 10,
     'args': {'device': 0, 'stream': 7, 'correlation': 1, 'grid': [1, 1, 1],
              'block': [128, 1, 1]}}]}).encode()

SECRET = 'xyzzy_table'
# [what fails, SQLSTATE, the status of an answer]
FAILURES = [
    ('a constraint', '23514', 500),
    ('a division by zero', '22012', 500),
    ('a program limit', '54000', 500),
    ('a text in a wrong encoding', '22021', 400),
    ('a full disk', '53100', 507),
    ('a deadlock', '40P01', 409),
    ('a canceled statement', '57014', 504),
    ('a lock that was not available', '55P03', 503),
    ('a missing table', '42P01', 503),
    ('a connection that ends', '57P01', 503),
    ('an error without a class of its own', 'XX000', 503),
]


def fail_on(server, table, state):
    """From now on, each row that is written to the table fails with this SQLSTATE."""
    server.sql(f"""
        CREATE OR REPLACE FUNCTION fail_now() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE 'relation "{SECRET}" of {state} failed' USING ERRCODE = '{state}'; END $$;
        CREATE OR REPLACE TRIGGER fail_now BEFORE INSERT OR UPDATE ON {table}
        FOR EACH ROW EXECUTE FUNCTION fail_now()""")


def works_again(server, table):
    server.sql(f'DROP TRIGGER fail_now ON {table}; DROP FUNCTION fail_now()')


def has_no_private_words(what, text):
    for word in (SECRET, 'relation', 'SQLSTATE', 'ERROR:', 'violates', 'psql', '/tmp', '/dev/shm'):
        assert word not in text, (what, word, text)


def answers(server):
    """An upload whose row cannot be written."""
    for what, state, status in FAILURES:
        fail_on(server, 'upload', state)
        got, _, text = server.ask('POST', f'/uploads?name=refused-{state}', TRACE)
        works_again(server, 'upload')
        text = text.decode()
        assert got == status, (what, got, text)
        has_no_private_words(what, text)
        assert json.loads(text)['error']['message'], (what, text)
        assert f'of {state} failed' in server.logged(), (what, 'is not in the log')


def uploads(server):
    """The results of an upload cannot be saved: it fails for a fault of the server, and
    another try may help."""
    for what, state, _ in FAILURES:
        if state in ('53100', '40P01', '57P01'):
            continue  # these do not count as a try: the upload waits
        fail_on(server, 'run', state)
        got = server.ended(server.upload(f'name={state}', TRACE))
        works_again(server, 'run')
        assert got['state'] == 'failed', (what, got)
        has_no_private_words(what, got['error'])
        assert got['retryable'] is True, (what, got)
        status, _, text = server.ask('POST', f'/uploads/{got["id"]}/retry')
        assert status == 202, (what, status, text)
        assert server.ended(got['id'])['state'] == 'done', what


if __name__ == '__main__':
    with running.Server() as s:
        answers(s)
        uploads(s)
    print('private_words: no answer and no failed upload contains the words of PostgreSQL')
