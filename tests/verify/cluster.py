#!/usr/bin/python3
"""cluster.py - checks how the server creates, shares, rejects and finds its PostgreSQL.

Every case has its own data folder and prints its output if it fails.
"""
import grp
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import running

EMPTY = b'{"traceEvents": []}'  # a trace without events


def run(*args):
    got = subprocess.run([running.BIN, *args], capture_output=True, text=True,
                         timeout=120)
    return got.returncode, got.stdout, got.stderr


def expect(got, status, out, sentence):
    last = (got[2].splitlines() or [''])[-1]
    want = f'kernsiftd: {sentence}' if sentence else last
    assert got[0] == status and got[1] == out and last == want, got


def folder(mode=0o711):
    path = tempfile.mkdtemp(prefix='ks-cluster-', dir=running.SCRATCH)
    os.chmod(path, mode)
    return path


def alive(pid):
    try:
        with open(f'/proc/{pid}/stat') as f:
            return f.read().rsplit(')', 1)[1].split()[0] != 'Z'
    except OSError:
        return False


def case_commands_without_a_server():
    data = folder()
    got = run('migrate', '--data', data)
    assert got[0] == 0 and got[1].endswith(' applied\n'), got
    expect(run('migrate', '--data', data), 0, 'the schema is up to date\n', '')
    expect(run('rebuild', '--data', data), 0, '0 uploads queued\n', '')
    status, out, _ = run('token', '--data', data, '--scope', 'read',
                         '--name', 'x')
    assert status == 0 and out.startswith('ks_') and len(out) == 47, out
    expect(run('work', '--data', data), 1, '',
           f"no kernsiftd serves the data folder '{data}'; start one, or "
           'give --db')
    return data


def case_a_second_server_and_passing_commands():
    with running.Server() as s:
        expect(run('serve', '--data', s.data), 1, '',
               f"the data folder '{s.data}' is in use by another kernsiftd, "
               f'process {s.process.pid}')
        status, out, _ = run('token', '--data', s.data, '--scope', 'admin',
                             '--name', 'x')
        assert status == 0, out
        admin = {'Authorization': f'Bearer {out.strip()}'}
        status, _, _ = s.ask('DELETE', '/runs/1', headers=admin)
        assert status == 404, status
        assert s.ask('DELETE', '/runs/1')[0] == 401


def case_a_path_too_long_for_a_socket():
    top = folder()
    data = f'{top}/{"x" * 60}/{"y" * 60}'
    os.makedirs(data)
    with running.Server(data=data) as s:
        assert s.get('/runs')['items'] == []
        status, _, err = run('token', '--data', data, '--scope', 'read',
                             '--name', 'x')
        assert status == 0, err
    return top


def case_a_path_with_odd_characters():
    top = folder()
    data = f'{top}/it\'s "a", \\ b'
    with running.Server(data=data) as s:
        assert s.get('/runs')['items'] == []
    return top


def case_only_the_owner_and_root_get_in():
    with running.Server() as s:
        st = os.stat(f'{s.data}/run')
        assert st.st_mode & 0o777 == 0o700, oct(st.st_mode)
        socket = os.stat(f'{s.data}/run/.s.PGSQL.5432')
        assert socket.st_mode & 0o777 == 0o700, oct(socket.st_mode)
        assert s.sql('SELECT 1') == [['1']]
        if os.geteuid() == 0:
            nobody = pwd.getpwnam('nobody')
            got = subprocess.run(
                ['psql', '-h', f'{s.data}/run', '-U', 'kernsift', '-d',
                 'postgres', '-c', 'SELECT 1'], user=nobody.pw_uid,
                group=grp.getgrgid(nobody.pw_gid).gr_gid, extra_groups=[],
                capture_output=True, text=True)
            assert got.returncode != 0 and 'Permission denied' in got.stderr
            # Even if anyone may open the folder, peer authentication identifies the
            # user.
            os.chmod(f'{s.data}/run', 0o777)
            os.chmod(f'{s.data}/run/.s.PGSQL.5432', 0o777)
            got = subprocess.run(
                ['psql', '-h', f'{s.data}/run', '-U', 'kernsift', '-d',
                 'postgres', '-c', 'SELECT 1'], user=nobody.pw_uid,
                group=nobody.pw_gid, extra_groups=[], capture_output=True,
                text=True)
            assert 'Peer authentication failed' in got.stderr, got


def case_nothing_is_left_of_a_killed_server():
    with running.Server() as s:
        master, workers = s.postmaster(), s.workers()
        s.kill()
        for pid in (master, *workers):
            running.until(f'the end of {pid}', lambda p=pid: not alive(p))
        s.start()
        assert s.get('/runs')['items'] == []


def case_a_postmaster_left_over_is_ended():
    """A remaining postmaster is ended even if it does not react in time: here it is
    stopped."""
    with running.Server() as s:
        master = s.postmaster()
        os.kill(master, signal.SIGSTOP)
        s.kill()
        wake = subprocess.Popen(['sh', '-c', f'sleep 1; kill -CONT {master}'])
        s.start()
        wake.wait()
        assert not alive(master) and s.postmaster() != master
        assert s.get('/runs')['items'] == []


def case_a_stale_pid_file_that_names_somebody_else():
    """The stale pid file names a process that is no postmaster; it must not be taken
    for one."""
    data = folder()
    run('migrate', '--data', data)
    owner = os.stat(f'{data}/pg')
    os.mkdir(f'{data}/run')
    other_user = {} if os.getuid() else {
        'user': owner.st_uid, 'group': owner.st_gid, 'extra_groups': []}
    other = subprocess.Popen(['sleep', '60'], **other_user)
    for path in (f'{data}/pg/postmaster.pid',
                 f'{data}/run/.s.PGSQL.5432.lock'):
        with open(path, 'w') as f:
            f.write(f'{other.pid}\n{data}/pg\n1\n5432\n{data}/run\n\n')
        os.chown(path, owner.st_uid, owner.st_gid)
    with running.Server(data=data) as s:
        assert s.get('/runs')['items'] == []
        assert other.poll() is None, 'another process was ended'
    other.kill()
    other.wait()


def case_another_major_is_refused():
    data = folder()
    run('migrate', '--data', data)
    with open(f'{data}/pg/PG_VERSION', 'w') as f:
        f.write('9\n')
    status, _, err = run('serve', '--data', data)
    assert status == 1 and err.startswith(
        'kernsiftd: the data folder holds a cluster of PostgreSQL 9, and only '
    ) and err.endswith(' is installed; install postgresql-9 beside it, then '
                       "see 'Upgrades' in server/README.md\n"), err
    return data


def case_a_cluster_half_made_is_made_again():
    data = folder()
    os.makedirs(f'{data}/pg.new/base/1')
    with open(f'{data}/pg.new/PG_VERSION', 'w') as f:
        f.write('15\n')
    with running.Server(data=data) as s:
        assert s.get('/runs')['items'] == []
        assert not os.path.exists(f'{data}/pg.new')


def case_postgres_killed_and_back():
    with running.Server() as s:
        master = s.postmaster()
        os.kill(master, signal.SIGKILL)
        running.until('another postmaster',
                      lambda: s.postmaster() not in (None, master))
        running.until('an answer', lambda: s.ask('GET', '/runs')[0] == 200)
        assert s.ask('GET', '/readyz')[0] == 200


def case_more_workers_than_the_server_has():
    """Further workers find the server's cluster, and end on SIGTERM."""
    with running.Server(['--workers=1']) as s:
        more = subprocess.Popen([running.BIN, 'work', '--data', s.data,
                                 '--workers=2'], stderr=subprocess.PIPE)
        running.until('two more workers',
                      lambda: len(running.children(more.pid)) == 2)
        for pid in s.workers():
            os.kill(pid, signal.SIGSTOP)
        upload = s.upload('name=x', EMPTY)
        got = s.ended(upload)
        assert got['state'] == 'failed' and got['attempts'] == 1, got
        for pid in s.workers():
            os.kill(pid, signal.SIGCONT)
        more.send_signal(signal.SIGTERM)
        assert more.wait(20) == 0
        more.stderr.close()


def case_a_database_that_is_given():
    """The server uses the given database, here another server's cluster, and makes no
    folder."""
    top = folder()
    with running.Server() as s:
        given = f'host={s.data}/run user=kernsift dbname=postgres'
        env = {**os.environ, 'HOME': top, 'KERNSIFT_DB': given}
        port = running.free_port()
        second = subprocess.Popen(
            [running.BIN, 'serve', '--listen', f'127.0.0.1:{port}',
             '--workers=1'], env=env, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)
        assert second.stdout.readline() == (
            f'kernsiftd: listening on http://127.0.0.1:{port}\n'.encode())
        upload = s.upload('name=x', EMPTY)
        s.port, mine = port, s.port
        assert s.ended(upload)['state'] == 'failed'
        s.port = mine
        second.send_signal(signal.SIGTERM)
        assert second.wait(30) == 0
        second.stdout.close()
    assert os.listdir(top) == [], os.listdir(top)
    return top


def case_a_folder_that_is_none():
    top = folder()
    with open(f'{top}/file', 'w'):
        pass
    status, _, err = run('serve', '--data', f'{top}/file/x')
    assert (status, err) == (
        1, f"kernsiftd: the folder '{top}/file/x' cannot be made: "
        'Not a directory\n'), err
    return top


def case_a_folder_postgres_cannot_reach():
    if os.geteuid() != 0:
        return None
    top = folder(0o700)
    status, _, err = run('serve', '--data', f'{top}/data')
    assert (status, err) == (
        1, "kernsiftd: user 'postgres', who is to run PostgreSQL, cannot enter "
        f"'{top}/data'; choose a data folder it can reach\n"), err
    return top


def case_outside_without_a_token():
    data = folder()
    status, _, err = run('serve', '--data', data, '--listen', '0.0.0.0:0')
    assert (status, err.splitlines()[-1]) == (
        2, "kernsiftd: --listen: other machines can reach '0.0.0.0:0', and no "
        "token exists (create one with 'kernsiftd token', or give "
        '--start-without-tokens)'), err
    return data


def main():
    running.skip_without_postgres()
    cases = [(n[5:], f) for n, f in globals().items() if n.startswith('case_')]
    wanted = sys.argv[1:]
    failed = 0
    for name, case in cases:
        if wanted and name not in wanted:
            continue
        began = time.monotonic()
        try:
            data = case()
            if data:
                shutil.rmtree(data)
            print(f'ok {name} {time.monotonic() - began:.1f} s', flush=True)
        except Exception as e:
            failed += 1
            print(f'FAILED {name}: {type(e).__name__} {e}', flush=True)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
