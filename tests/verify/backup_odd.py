#!/usr/bin/python3
"""backup_odd.py - restores unusual backups: invalid ones, and one of an older schema.

An invalid backup is rejected with its own message and leaves nothing behind. The same
applies if the disk is full, during a backup or a restore.
"""
import hashlib
import os
import shutil
import subprocess
import sys

import running
from commands import Place, play, refused, run

HEAD, FRAME = 8, 4096
HERE = os.path.dirname(os.path.abspath(__file__))
SET = os.path.join(HERE, '../api/data/set-small.json')


def header(path, **lines):
    """Returns the backup with changed words in its manifest, and the manifest's new
    hash."""
    with open(path, 'rb') as f:
        frame, rest = f.read(FRAME), f.read()
    text = frame[HEAD:].split(b'\0')[0].decode().splitlines()[:-1]
    text = [f'{w[0]} {lines[w[0]]}' if (w := line.split(' ', 1))[0] in lines
            else line for line in text]
    manifest = ''.join(line + '\n' for line in text).encode()
    manifest += b'manifest ' + hashlib.sha256(manifest).hexdigest().encode() + b'\n'
    with open(path + '.odd', 'wb') as f:
        f.write(frame[:HEAD] + manifest.ljust(FRAME - HEAD, b'\0') + rest)
    return path + '.odd'


def damaged(path, at, change):
    with open(path, 'rb') as f:
        got = bytearray(f.read())
    at = at if at >= 0 else len(got) + at
    got = got[:at] if change is None else got[:at] + change + got[at + 1:]
    with open(path + '.odd', 'wb') as f:
        f.write(got)
    return path + '.odd'


def case_what_is_no_whole_backup(place):
    data = Place()
    good = place.at('empty')
    run('migrate', '--data', data.path)
    assert run('backup', '--data', data.path, good)[0] == 0
    size = os.stat(good).st_size
    odd = good + '.odd'
    nowhere = place.at('nowhere')
    for sentence, path, status in (
            (f"'{nowhere}' cannot be opened: No such file or directory",
             nowhere, 2),
            (f"'{place.path}' cannot be read: Is a directory", place.path, 2),
            (f"'{SET}' is not a backup of kernsift", SET, 1),
            (f"'{odd}' is truncated: it has {size - 1} of {size} bytes",
             (good, -1, None), 1),
            (f"'{odd}' is truncated: it has 4096 of {size} bytes",
             (good, FRAME, None), 1),
            (f"'{odd}' is truncated: a backup is longer", (good, 2000, None), 1),
            (f"'{odd}' is not a backup of kernsift", (good, 0, None), 1),
            (f"'{odd}' is damaged: its bytes do not match their checksum",
             (good, -9, b'\0'), 1),
            (f"'{odd}' is damaged: its bytes do not match their checksum",
             (good, size, b'\0'), 1),
            (f"'{odd}' is damaged: its manifest is inconsistent",
             (good, 60, b'7'), 1),
            (f"'{odd}' is a backup of format 9, which this program cannot "
             'read; use a newer kernsiftd',
             (good, HEAD + len('kernsift backup '), b'9'), 1),
            ("the backup's schema is number 9999, and this program knows "
             f'{schema()}; use a newer kernsiftd', {'schema': '9999'}, 1),
            ("the backup's migrations are not those of this program; use the "
             'kernsiftd that made it', {'migrations': 'a' * 64}, 1),
            ("the backup is of PostgreSQL 99, and the database's is "
             f'{major(data)}; restore it into 99 or newer',
             {'postgres': '99'}, 1),
            ('the restored data differ from the backup: 0 runs of 0 uploads '
             'instead of 5 runs of 0 uploads', {'runs': '5'}, 1),
    ):
        if isinstance(path, tuple):
            path = damaged(*path)
        elif isinstance(path, dict):
            path = header(good, **path)
        fresh = Place()
        refused(run('restore', '--data', fresh.path, path), sentence, status)
        assert not os.path.exists(fresh.at('pg')), sentence
        shutil.rmtree(fresh.path)
    return data.path


def schema():
    return len(os.listdir(f'{HERE}/../../sql/migrations')) - 1


def major(data):
    with open(data.at('pg/PG_VERSION')) as f:
        return f.read().strip()


def case_called_wrongly(place):
    refused(run('backup', '--data', place.path),
            "'kernsiftd backup' needs FILE (see 'kernsiftd backup --help')", 2)
    refused(run('restore', '--data', place.path),
            "'kernsiftd restore' needs FILE (see 'kernsiftd restore --help')", 2)
    refused(run('backup', '--data', place.path, SET),
            f"'{SET}' already exists; a backup does not overwrite a file")
    refused(run('backup', '--data', place.path, place.at('no/such')),
            f"'{place.at('no/such')}' cannot be written: No such file or "
            'directory')


def older(psql):
    """Changes the schema to that of a program with one migration less."""
    folder = f'{HERE}/../../sql/migrations'
    script = ('CREATE TABLE migration (number int PRIMARY KEY, name text, '
              'sha256 bytea, applied_at timestamptz DEFAULT now());')
    files = sorted(n for n in os.listdir(folder) if n.endswith('.sql'))[:-1]
    for number, name in enumerate(files, 1):
        with open(f'{folder}/{name}', 'rb') as f:
            text = f.read()
        script += (text.decode() + "; INSERT INTO migration VALUES "
                   f"({number}, '{name}', "
                   f"'\\x{hashlib.sha256(text).hexdigest()}');")
    subprocess.run([*psql, '-v', 'ON_ERROR_STOP=1'], input=script, check=True,
                   text=True)


def case_an_older_schema_comes_up_to_date(place):
    """Restores into an existing database; a foreign table there is an error."""
    with running.Server() as s:
        s.sql('CREATE DATABASE old TEMPLATE template0')
        s.sql('CREATE DATABASE "o\'dd=" TEMPLATE template0')
        at = f'host={s.data}/run user=kernsift'
        old, new = f'{at} dbname=old', f"{at} dbname='o\\'dd='"
        older(['psql', '-Xq', '-d', old])
        status, _, err = run('backup', '--db', old, place.at('old'))
        assert status == 0, err
        subprocess.run(['psql', '-Xqc', 'CREATE TABLE other ()', new],
                       check=True)
        refused(run('restore', '--db', new, place.at('old')),
                "database 'o'dd=' is not empty: it has 'other'; a backup is "
                'restored into an empty one')
        subprocess.run(['psql', '-Xqc', 'DROP TABLE other', new], check=True)
        half = f'{at} dbname=half'
        s.sql('CREATE DATABASE half TEMPLATE template0')
        refused(run('restore', '--db', half, header(place.at('old'), runs='5')),
                'the restored data differ from the backup: 0 runs of 0 uploads '
                'instead of 5 runs of 0 uploads; the database is incomplete: '
                'drop it, and restore into a new and empty one')
        status, _, err = run('restore', '--db', new, place.at('old'))
        assert status == 0, err
        assert run('migrate', '--db', new)[1] == 'the schema is up to date\n'
        assert run('backup', '--db', new, place.at('new'))[0] == 0


def mounted(path, size):
    return os.geteuid() == 0 and subprocess.run(
        ['mount', '-t', 'tmpfs', '-o', f'size={size},mode=711', 'ks-backup',
         path], capture_output=True).returncode == 0


def case_a_full_disk(place):
    """Neither half a file nor half a database is left behind."""
    data, small = Place().path, Place()
    if not mounted(small.path, '100k'):
        print('  (a small file system cannot be mounted here)')
        return
    try:
        with running.Server(data=data) as s:
            s.sql("INSERT INTO job (project, name, upload_id) SELECT 'p', "
                  "encode(sha256(g::text::bytea), 'hex'), 0 "
                  'FROM generate_series(1, 400000) g')
            got = run('backup', '--data', data, small.at('b'))
            refused(got, f"'{small.at('b')}' cannot be written: No space left "
                    'on device')
            assert os.listdir(small.path) == []
            assert run('backup', '--data', data, place.at('big'))[0] == 0
        subprocess.run(['mount', '-o', 'remount,size=90m', small.path],
                       check=True)
        got = run('restore', '--data', small.path, place.at('big'))
        refused(got, 'pg_restore failed: error returned by PQputCopyData: '
                'server closed the connection unexpectedly; see '
                f"'{small.at('postgres.log')}'")
        with open(small.at('postgres.log')) as f:
            assert 'No space left on device' in f.read()
        assert not os.path.exists(small.at('pg'))
    finally:
        subprocess.run(['umount', '-l', small.path], check=True)


if __name__ == '__main__':
    sys.exit(play(globals()))
