#!/usr/bin/python3
"""secure.py - checks tokens, HTTPS, and errors of the command line."""
import os
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading

from harness import (BIN, CLEAN, DB, Server, equal, ids, kernsift, play, says,
                     trace, upload)


def own_address():
    """An address of this machine other than loopback, or None."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        try:
            s.connect(('192.0.2.1', 9))  # sends nothing
            here = s.getsockname()[0]
        except OSError:
            return None
    return None if here.startswith('127.') else here


def make_token(scope, project=None):
    p = subprocess.run([f'{BIN}/kernsiftd', 'token', '--db', DB, '--scope',
                        scope, '--name', f'client-{scope}',
                        *(['--project', project] if project else [])], env=CLEAN,
                       stdout=subprocess.PIPE, check=True)
    return p.stdout.decode().split()[-1]


def token(d):
    """another address requires a token: none, a wrong one, too low a scope, a
    sufficient one"""
    here = own_address()
    if not here:
        print('  left out: this machine has no address but loopback')
        return
    path = trace(d, 'token.json', '--steps', '1')
    with Server():  # migrates the database
        read, may = make_token('read'), make_token('upload')
    with open(f'{d}/token', 'w') as f:
        f.write(may + '\n')
    with Server(host=here) as s:
        for env, why in (({}, 'none'), ({'KERNSIFT_TOKEN': 'ks_no'}, 'wrong'),
                         ({'KERNSIFT_TOKEN': read}, 'too little')):
            r = upload(s, path, env=env)
            equal(why, (r.status, r.out), (64, ''))
            says(why, r.err, rf'kernsift: {path}: [a-z][^\n]*token[^\n]*\n')
            equal('not shown', read in r.err, False)
        r = upload(s, '--wait', path, env={'KERNSIFT_TOKEN': may})
        equal('variable', (r.status, len(ids(r.out, 'run'))), (0, 1))
        r = upload(s, '--token-file', f'{d}/token', '--wait', path,
                   env={'KERNSIFT_TOKEN': 'ks_no'})
        equal('file wins', (r.status, len(ids(r.out, 'run'))), (0, 1))


def relay(a, b):
    try:
        while piece := a.recv(65536):
            b.sendall(piece)
        b.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def tls_in_front(s, folder):
    """Starts a proxy that terminates TLS in front of the server; returns its port."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f'{folder}/cert.pem', f'{folder}/key.pem')
    door = socket.create_server(('127.0.0.1', 0))

    def serve():
        while True:
            plain, _ = door.accept()
            try:
                client = context.wrap_socket(plain, server_side=True)
            except OSError:
                continue
            behind = socket.create_connection((s.host, s.port))
            for pair in ((client, behind), (behind, client)):
                threading.Thread(target=relay, args=pair, daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    return door.getsockname()[1]


def https(d):
    """HTTPS: an untrusted certificate is rejected, ours is accepted"""
    if not shutil.which('openssl'):
        print('  left out: openssl is not installed')
        return
    subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt',
                    'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2',
                    '-subj', '/CN=localhost', '-addext',
                    'subjectAltName=DNS:localhost', '-keyout', f'{d}/key.pem',
                    '-out', f'{d}/cert.pem'], check=True,
                   stderr=subprocess.DEVNULL)
    path = trace(d, 'https.json', '--events', '20000')
    with Server() as s:
        url = f'https://localhost:{tls_in_front(s, d)}'
        r = kernsift('upload', '--server', url, path)
        equal('status', (r.status, r.out), (69, ''))
        says('stderr', r.err, rf"kernsift: {path}: cannot reach '{url}': "
                              r'SSL certificate problem[^\n]*\n')
        r = kernsift('upload', '--server', url, '--wait', '--ca-file',
                     f'{d}/cert.pem', path)
        equal('status', r.status, 0)
        run = ids(r.out, 'run')[0]
        equal('stdout', r.out, f'run {run} {url}/runs/{run}\n')


def command_line(d):
    """no command, a wrong one, no server, no token: status 64 or 74 and an error message"""
    path = trace(d, 'x.json', '--steps', '1')
    rows = (
        ([], "a command is missing (see 'kernsift help')"),
        (['uplaod', path],
         "'uplaod' is not a command (did you mean 'upload'? see 'kernsift help')"),
        (['upload'], "'kernsift upload' needs FILE... (see 'kernsift upload --help')"),
        (['upload', '--server', 'gpu:80', path],
         "--server: 'gpu:80' does not start with http:// or https:// "
         '(for example http://127.0.0.1:8080)'),
        (['upload', '--token-file', f'{d}/none', path],
         f"--token-file: cannot read '{d}/none': No such file or directory "
         '(name a file, for example /run/secrets/kernsift-token)'),
    )
    for argv, sentence in rows:
        r = kernsift(*argv)
        equal(argv, (r.status, r.out, r.err),
              (74 if 'cannot read' in sentence else 64, '', f'kernsift: {sentence}\n'))
    for argv in ('help', '--help'):
        r = kernsift(argv)
        equal(argv, (r.status, r.err), (0, ''))
        says(argv, r.out, r'Usage: kernsift .*  upload FILE\.\.\. .*')
    says('version', kernsift('version').out, r'kernsift \d+\.\d+\.\d+\n')


def main():
    with tempfile.TemporaryDirectory() as d:
        os.chmod(d, 0o755)
        play([command_line, token, https], d)


if __name__ == '__main__':
    main()
