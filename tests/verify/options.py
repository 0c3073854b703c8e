#!/usr/bin/python3
"""options.py - checks command lines of kernsiftd and kernsift: errors and help.

A case is: arguments, environment, exit status, complete message. No case connects to a
database or a server, and none writes anything. The help is compared with the tables
that it is generated from.
"""
import os
import re
import subprocess
import sys
import tempfile

import running

HERE = os.path.dirname(os.path.abspath(__file__))
SERVER = f'{HERE}/../../server'
TRACE = f'{HERE}/../traces/01-smallest/in.json'
OBSERVED = f'{HERE}/../traces/61-execution-trace-alone/in.json'
CLIENT = os.path.join(os.path.dirname(running.BIN), 'kernsift')
INT = 2147483647
ADDRESS = '(use HOST:PORT, for example 127.0.0.1:8080)'
BY = ('kernels, device, grid, source, launches, callers, iterations, waits, '
      'busy, patterns, facts, operators, shapes, unattributed, layers, collectives')


def see(program, command):
    return f"see '{program} {command} --help')"


def unknown(program, command, option, near=''):
    hint = f"did you mean '{near}'? " if near else ''
    return (f"'{option}' is not an option of '{program} {command}' "
            f'({hint}{see(program, command)}')


def number(where, value, low, high, example):
    return (f"{where}: '{value}' is not a whole number from {low} to {high} "
            f'(for example {example})')


SERVER_CASES = {
    'no command': ([], {}, 2, "a command is missing (see 'kernsiftd help')"),
    'two letters of a command swapped':
        (['srve'], {}, 2,
         "'srve' is not a command (did you mean 'serve'? see 'kernsiftd help')"),
    'a command like no other':
        (['xyzzy'], {}, 2, "'xyzzy' is not a command (see 'kernsiftd help')"),
    'help on a command that is none':
        (['help', 'restor'], {}, 2, "'restor' is not a command (did you mean "
         "'restore'? see 'kernsiftd help')"),
    'an option like no other':
        (['serve', '--xyzzy', '1'], {}, 2,
         unknown('kernsiftd', 'serve', '--xyzzy')),
    'a letter of an option missing':
        (['serve', '--lisen', 'x'], {}, 2,
         unknown('kernsiftd', 'serve', '--lisen', '--listen')),
    'the beginning of an option':
        (['serve', '--statement=3'], {}, 2,
         unknown('kernsiftd', 'serve', '--statement', '--statement-timeout-s')),
    'an option of another command':
        (['serve', '--scope', 'read'], {}, 2,
         "'--scope' is an option of other commands, not of 'kernsiftd serve' ("
         + see('kernsiftd', 'serve')),
    'a single dash':
        (['serve', '-v'], {}, 2, unknown('kernsiftd', 'serve', '-v')),
    'a word too many':
        (['serve', 'now'], {}, 2, "'now' is one argument too many for "
         f"'kernsiftd serve' ({see('kernsiftd', 'serve')}"),
    'a second operand':
        (['restore', 'a', 'b'], {}, 2, "'b' is one argument too many for "
         f"'kernsiftd restore' ({see('kernsiftd', 'restore')}"),
    'the second word of a command, misspelled':
        (['token', 'revok'], {}, 2, "'revok' is one argument too many for "
         "'kernsiftd token' (did you mean 'token revoke'? "
         + see('kernsiftd', 'token')),
    'an option without its value':
        (['serve', '--listen'], {}, 2, '--listen: the value is missing (use '
         '--listen HOST:PORT, for example --listen 127.0.0.1:8080)'),
    'a flag with a value':
        (['serve', '--start-without-tokens=1'], {}, 2,
         "--start-without-tokens: takes no value, and '1' is one (use "
         '--start-without-tokens alone)'),
    'a port of letters':
        (['serve', '--listen', '0.0.0.0:bad'], {}, 2,
         f"--listen: port 'bad' is not a number {ADDRESS}"),
    'a port beyond 16 bits':
        (['serve', '--listen=0.0.0.0:65536'], {}, 2,
         f"--listen: port '65536' is above 65535 {ADDRESS}"),
    'a port that is negative':
        (['serve', '--listen=0.0.0.0:-1'], {}, 2,
         f"--listen: port '-1' is not a number {ADDRESS}"),
    'an address without a port':
        (['serve', '--listen', 'localhost'], {}, 2,
         f"--listen: address 'localhost' has no port {ADDRESS}"),
    'an address with a colon and no port':
        (['serve', '--listen', 'localhost:'], {}, 2,
         f"--listen: address 'localhost:' has no port {ADDRESS}"),
    'a port without an address':
        (['serve', '--listen', ':8080'], {}, 2,
         f"--listen: address ':8080' has no host {ADDRESS}"),
    'IPv6 without brackets':
        (['serve', '--listen', '::1:8080'], {}, 2,
         "--listen: address '::1:8080' needs brackets around its IPv6 host "
         + ADDRESS),
    'IPv6 with nothing behind the brackets':
        (['serve', '--listen', '[::1]'], {}, 2,
         f"--listen: address '[::1]' has no port {ADDRESS}"),
    'IPv4 with a number above 255':
        (['serve', '--listen', '127.0.0.256:80'], {}, 2,
         "--listen: host '127.0.0.256' is neither an address nor a name "
         + ADDRESS),
    'a bad address in the environment':
        (['serve'], {'KERNSIFT_LISTEN': 'x'}, 2,
         f"KERNSIFT_LISTEN: address 'x' has no port {ADDRESS}"),
    'a connection string that is none':
        (['migrate', '--db', 'kernsift'], {}, 2,
         '--db: missing "=" after "kernsift" in connection info string (use a '
         "connection string, for example 'host=db user=kernsift "
         "dbname=kernsift')"),
    'a connection string with a word libpq does not know':
        (['serve', '--db=hots=db'], {}, 2,
         '--db: invalid connection option "hots" (use a connection string, for '
         "example 'host=db user=kernsift dbname=kernsift')"),
    'a data folder that is a file':
        (['serve', '--data', TRACE], {}, 2, f"--data: '{TRACE}' is not a folder "
         '(name one, for example /var/lib/kernsift)'),
    'a folder of the page that is not there':
        (['serve', '--web', '/no/such'], {}, 2,
         "--web: cannot read '/no/such': No such file or directory (name the "
         'folder of the page, for example web)'),
    'a certificate that is not there':
        (['serve', '--tls-cert', '/no/such', '--tls-key', TRACE], {}, 2,
         "--tls-cert: cannot read '/no/such': No such file or directory (name a "
         'file, for example server.crt)'),
    'a certificate without its key':
        (['serve', '--tls-cert', TRACE], {}, 2, '--tls-key: the value is missing '
         '(--tls-cert and --tls-key require each other)'),
    'a number above the highest':
        (['serve', '--worker-nice', '20'], {}, 2,
         number('--worker-nice', 20, 0, 19, 19)),
    'letters for a number':
        (['serve', '--workers', 'two'], {}, 2,
         number('--workers', 'two', 0, INT, 4)),
    'a number with a unit':
        (['serve', '--upload_mib=10m'], {}, 2,
         number('--upload-mib', '10m', 1, INT, 4096)),
    'a number behind a space':
        (['serve', '--workers', ' 2'], {}, 2,
         number('--workers', ' 2', 0, INT, 4)),
    'a negative number':
        (['serve', '--workers=-1'], {}, 2, number('--workers', -1, 0, INT, 4)),
    'zero where one is the lowest':
        (['serve', '--writers', '0'], {}, 2, number('--writers', 0, 1, INT, 4)),
    'a number past 32 bits':
        (['serve', '--workers', '2147483648'], {}, 2,
         number('--workers', 2147483648, 0, INT, 4)),
    'a number past 64 bits':
        (['serve', '--workers', '99999999999999999999'], {}, 2,
         number('--workers', 99999999999999999999, 0, INT, 4)),
    'a wrong number in the environment':
        (['serve'], {'KERNSIFT_LEASE_S': 'x'}, 2,
         number('KERNSIFT_LEASE_S', 'x', 1, INT, 30)),
    'a wrong flag in the environment':
        (['serve'], {'KERNSIFT_START_WITHOUT_TOKENS': 'yes'}, 2,
         "KERNSIFT_START_WITHOUT_TOKENS: 'yes' is not 0 or 1"),
    'a password file that is not there':
        (['serve', '--db-password-file', '/no/such'], {}, 2,
         "--db-password-file: cannot read '/no/such': No such file or directory "
         '(name a file, for example /run/secrets/db-password)'),
    'a password file that is a folder':
        (['serve'], {'KERNSIFT_DB_PASSWORD_FILE': '/'}, 2,
         "KERNSIFT_DB_PASSWORD_FILE: cannot read '/': Is a directory (name a "
         'file, for example /run/secrets/db-password)'),
    'a password file with nothing in it':
        (['serve', '--db-password-file=/dev/null'], {}, 2,
         "--db-password-file '/dev/null' has no password in its first line, "
         'of at most 1000 bytes'),
    'the command line wins over the environment':
        (['serve', '--lease-s=y'], {'KERNSIFT_LEASE_S': 'x'}, 2,
         number('--lease-s', 'y', 1, INT, 30)),
    'the last one given counts':
        (['serve', '--lease_s=1', '--lease_s=z'], {}, 2,
         number('--lease-s', 'z', 1, INT, 30)),
    'empty in the environment is as good as none':
        (['serve', '--log=x'], {'KERNSIFT_LEASE_S': ''}, 2,
         "--log: 'x' is not one of debug, info, warn, error"),
    'empty on the command line means the default':
        (['serve', '--log=x', '--lease_s='], {'KERNSIFT_LEASE_S': 'x'}, 2,
         "--log: 'x' is not one of debug, info, warn, error"),
    'a level with a letter wrong':
        (['migrate', '--log', 'warm'], {}, 2, "--log: 'warm' is not one of debug, "
         "info, warn, error (did you mean 'warn'?)"),
    'a token without a scope':
        (['token', '--name', 'me'], {}, 2,
         '--scope: the value is missing (use --scope read|upload|admin)'),
    'a token with a scope that is none':
        (['token', '--scope', 'root', '--name', 'me'], {}, 2,
         "--scope: 'root' is not one of read, upload, admin"),
    'a token without a name':
        (['token', '--scope=read'], {}, 2, '--name: the value is missing (name the '
         'user of the token, for example --name ci)'),
    'a token that expires at once':
        (['token', '--scope=read', '--name=x', '--expires-days=0'], {}, 2,
         number('--expires-days', 0, 1, 36500, 90)),
    'an id that is none':
        (['token', 'revoke', '-1x'], {}, 2,
         unknown('kernsiftd', 'token revoke', '-1x')),
    'an id behind the end of the options':
        (['token', 'revoke', '--', '-1'], {}, 2,
         "'-1' is not a token id, which is a whole number above 0 "
         "('kernsiftd token list' shows the ids)"),
    'backup without a file':
        (['backup'], {}, 2,
         f"'kernsiftd backup' needs FILE ({see('kernsiftd', 'backup')}"),
    'backup with an empty name':
        (['backup', ''], {}, 2, 'the file name is empty (for example '
         'kernsift.backup)'),
    'convert without files':
        (['convert'], {}, 2, "'kernsiftd convert' needs IN OUT.kst ("
         + see('kernsiftd', 'convert')),
    'convert without a place to write to':
        (['convert', TRACE], {}, 2, "'kernsiftd convert' needs IN OUT.kst ("
         + see('kernsiftd', 'convert')),
    'convert of nothing':
        (['convert', '/nowhere/in.json', '/nowhere/out.kst'], {}, 1,
         "cannot open '/nowhere/in.json': No such file or directory"),
    'convert into a folder that does not exist':
        (['convert', TRACE, '/nowhere/out.kst'], {}, 1,
         "'/nowhere/out.kst' cannot be written: No such file or directory"),
    'convert of an execution trace':
        (['convert', OBSERVED, '/nowhere/out.kst'], {}, 1,
         f"'{OBSERVED}' is an execution trace of PyTorch, which has no runs"),
    'convert of a trace to itself':
        (['convert', TRACE, TRACE], {}, 2, f"'{TRACE}' is the trace itself; "
         'give the capture file another name'),
    'convert to a folder':
        (['convert', TRACE, '/'], {}, 2, "'/' is not a regular file"),
    'convert of a run that is none':
        (['convert', TRACE, '/nowhere/out.kst', '--run', '2'], {}, 2,
         '--run: 2 is above the number of runs, 1'),
    'convert of a run by name':
        (['convert', TRACE, '/nowhere/out.kst', '--run=all'], {}, 2,
         number('--run', 'all', 1, 4294967295, 1)),
    'inspect without a file':
        (['inspect'], {}, 2,
         f"'kernsiftd inspect' needs FILE... ({see('kernsiftd', 'inspect')}"),
    'inspect by a word that is none, behind one that is':
        (['inspect', TRACE, '--by', 'kernels,smell'], {}, 2,
         f"--by: 'smell' is not one of {BY}"),
    'inspect by a word with a letter too few':
        (['inspect', TRACE, '--by', 'kernel'], {}, 2,
         f"--by: 'kernel' is not one of {BY} (did you mean 'kernels'?)"),
    'inspect with layers by a way that is none':
        (['inspect', TRACE, '--layers', 'names'], {}, 2,
         "--layers: 'names' is not one of modules, period"),
    'inspect with names put back, perhaps':
        (['inspect', TRACE, '--realign', 'maybe'], {}, 2,
         "--realign: 'maybe' is not one of yes, no"),
    'inspect of half a device':
        (['inspect', TRACE, '--device', '0.5'], {}, 2,
         number('--device', '0.5', 0, INT, 0)),
    'inspect with layers of two beginnings':
        (['inspect', TRACE, '--layer_range', 'a', '--layer_start', 'b'], {}, 2,
         '--layer-range and --layer-start exclude each other (give one of '
         'them)'),
    'inspect by several, as one document':
        (['inspect', TRACE, '--by', 'device,grid', '--format', 'json'], {}, 2,
         "--by: 'device,grid' is more than one word, and --format json takes "
         'one'),
}

CLIENT_CASES = {
    'no command': ([], {}, 64, "a command is missing (see 'kernsift help')"),
    'two letters of a command swapped':
        (['uplaod', 'x'], {}, 64, "'uplaod' is not a command (did you mean "
         "'upload'? see 'kernsift help')"),
    'no file':
        (['upload'], {}, 64,
         f"'kernsift upload' needs FILE... ({see('kernsift', 'upload')}"),
    'two letters of an option swapped':
        (['upload', '--wiat', 'x'], {}, 64,
         unknown('kernsift', 'upload', '--wiat', '--wait')),
    'an option of another command':
        (['upload', '--once', 'x'], {}, 64, "'--once' is an option of other "
         "commands, not of 'kernsift upload' (" + see('kernsift', 'upload')),
    'a collector option of a command that does not record':
        (['agent', '--window', '3', '/'], {}, 64, "'--window' is an option of "
         "other commands, not of 'kernsift agent' (" + see('kernsift', 'agent')),
    'an option without its value':
        (['upload', 'x', '--project'], {}, 64, '--project: the value is missing '
         '(use --project NAME, for example --project chat)'),
    'an address without http':
        (['upload', '--server', 'gpu:80', 'x'], {}, 64,
         "--server: 'gpu:80' does not start with http:// or https:// (for "
         'example http://127.0.0.1:8080)'),
    'an address without a host, from the environment':
        (['health'], {'KERNSIFT_SERVER': 'http://:80'}, 64,
         "KERNSIFT_SERVER: 'http://:80' names no host (for example "
         'http://127.0.0.1:8080)'),
    'an address with a query':
        (['health', '--server', 'http://a?b'], {}, 64,
         "--server: 'http://a?b' has something behind host, port and path (for "
         'example http://127.0.0.1:8080)'),
    'letters for a number':
        (['upload', '--retries', 'often', 'x'], {}, 64,
         number('--retries', 'often', 0, INT, 5)),
    'hours that are negative':
        (['upload', '--gpu-hours', '-1', 'x'], {}, 64,
         "--gpu-hours: '-1' is not a number of at least 0 (for example 12.5)"),
    'hours without end':
        (['upload', '--gpu-hours', 'inf', 'x'], {}, 64,
         "--gpu-hours: 'inf' is not a number of at least 0 (for example 12.5)"),
    'a token file that is not there':
        (['upload', '--token-file', '/no/such', 'x'], {}, 74,
         "--token-file: cannot read '/no/such': No such file or directory (name "
         'a file, for example /run/secrets/kernsift-token)'),
    'certificates that are a folder':
        (['upload', '--ca-file', '/', 'x'], {}, 74, "--ca-file: cannot read '/': "
         'Is a directory (name a file, for example /etc/ssl/certs/ca.pem)'),
    'a compression that is none':
        (['upload', '--compress', 'zst', 'x'], {}, 64, "--compress: 'zst' is not "
         "one of zstd, gzip, none (did you mean 'zstd'?)"),
    'a label without a key':
        (['upload', '--label', '=main', 'x'], {}, 64,
         "--label: '=main' is not KEY=VALUE (for example branch=main)"),
    'one side':
        (['compare', '1'], {}, 64,
         f"'kernsift compare' needs BASE HEAD ({see('kernsift', 'compare')}"),
    'three sides':
        (['compare', '1', '2', '3'], {}, 64, "'3' is one argument too many for "
         f"'kernsift compare' ({see('kernsift', 'compare')}"),
    # 0 to 3 are outcomes of a gate
    'a gate with one side':
        (['gate', '1'], {}, 64,
         f"'kernsift gate' needs BASE HEAD ({see('kernsift', 'gate')}"),
    'a gate with a limit of letters':
        (['gate', '1', '2', '--iteration-pct', 'much'], {}, 64,
         "--iteration-pct: 'much' is not a number or 'none' (for example 2)"),
    'a gate with a policy that is not there':
        (['gate', '1', '2', '--policy', '/no/such'], {}, 74,
         "--policy: cannot read '/no/such': No such file or directory (name a "
         'file, for example gate.json)'),
    # `run` returns the exit status of the command that it runs
    'run of nothing':
        (['run'], {}, 125, "'kernsift run' needs -- COMMAND [ARGUMENT]... ("
         + see('kernsift', 'run')),
    'a number of the collector that is none':
        (['run', '--nvml-hz', 'x', 'true'], {}, 125,
         number('--nvml-hz', 'x', 0, 999999999, 10)),
    'a switch of the collector that is neither':
        (['run', '--trace=yes', 'true'], {}, 125,
         "--trace: 'yes' is not 0 or 1"),
    'a name of the collector with a letter missing':
        (['run', '--windw', '1', 'true'], {}, 125,
         unknown('kernsift', 'run', '--windw', '--window')),
    'two folders':
        (['agent', 'a', 'b'], {}, 64, "'b' is one argument too many for "
         f"'kernsift agent' ({see('kernsift', 'agent')}"),
}

# the masks of the tables
INGEST = 'SERVE WORK WORKER'
DATABASE = (INGEST + ' MIGRATE REBUILD TOKEN TOKEN_LIST TOKEN_REVOKE BACKUP '
            'RESTORE VACUUM')
MASKS = {
    'kernsiftd': {'SERVER': 'SERVE WORKER', 'INGEST': INGEST,
                  'TRACES': INGEST + ' INSPECT CONVERT', 'DATABASE': DATABASE,
                  'EVERY': DATABASE + ' INSPECT CONVERT'},
    'kernsift': {'TRACES': 'UPLOAD RUN AGENT',
                 'ALL': 'UPLOAD RUN AGENT ATTACH COMPARE DIAGNOSE RUNS SHOW FUSIONS DEVICES '
                        'IMPORT GATE HEALTH CALIBRATE'},
}
TABLES = {
    'kernsiftd': (running.BIN, f'{SERVER}/config/commands.def',
                  f'{SERVER}/config/config.def'),
    'kernsift': (CLIENT, f'{SERVER}/client/client_commands.def',
                 f'{SERVER}/client/options.def'),
}


def call(program, args, extra=(), cwd=None):
    env = {k: v for k, v in os.environ.items()
           if not k.startswith('KERNSIFT_')}
    return subprocess.run([program, *args], env={**env, **dict(extra)}, cwd=cwd,
                          capture_output=True, text=True, timeout=60)


def play(name, program, cases, folder):
    failed = 0
    for case, (args, env, status, message) in cases.items():
        got = call(program, args, {'HOME': folder, **env}, folder)
        want = (status, f'{name}: {message}\n', '')
        if (got.returncode, got.stderr, got.stdout) != want:
            print(f'{name}, {case}:\n  {got.returncode} {got.stderr!r} '
                  f'{got.stdout!r}\n  {want[0]} {want[1]!r}')
            failed += 1
        if os.listdir(folder):
            print(f'{name}, {case}: wrote {os.listdir(folder)}')
            return failed + 1
    return failed


def commands(path):
    """Returns {BIT: name} of the commands that the help lists."""
    with open(path) as f:
        text = f.read()
    all_ = re.findall(r'^COMMAND\((\w+), "([a-z ]+)", [^"]*"[^"]*", [^"]*?'
                      r'(?:"|NULL)', text, re.M)
    return {bit: name for bit, name in all_ if name != 'worker'}


def gate_rules():
    """Returns the options for gate rules, as lines of options.def."""
    with open(f'{SERVER}/model/gate_policy.def') as f:
        rules = re.findall(r'^POLICY\((\w+), (\w+),', f.read(), re.M)
    named = {'OPERATORS': 'operator_pct', 'MEASURES': 'measure_pct'}
    return '\n'.join(
        f'OPTION({named.get(kind, name)}, {kind}, '
        '"", "", GATE,' for kind, name in rules if kind not in ('FLOOR', 'SEED'))


def options(path, masks):
    """Returns [(--name, default, variable, bits)]."""
    with open(path) as f:
        text = f.read().replace('#include "gate_policy.def"', gate_rules())
    rows = re.findall(r'^OPTION\((\w+), *\w+, *"([^"]*)", *"([^"]*)", *'
                      r'([A-Z_| ]+),', text, re.M)
    return [('--' + name.replace('_', '-'), default, variable,
             {bit for mask in of.replace('|', ' ').split()
              for bit in masks.get(mask, mask).split()})
            for name, default, variable, of in rows]


def check_help(name):
    """Returns the errors of one program's help."""
    program, command_table, option_table = TABLES[name]
    rows = options(option_table, MASKS[name])
    assert len(rows) > 30, 'the table cannot be read'
    all_ = call(program, ['help'])
    for word in ('--help', '-h'):
        if call(program, [word]).stdout != all_.stdout:
            yield f'{word} is not help'
    for bit, command in commands(command_table).items():
        if f'\n  {command} ' not in all_.stdout:
            yield f'help does not list {command}'
        got = call(program, [*command.split(), '--help'])
        if (got.returncode, got.stderr) != (0, ''):
            yield f'{command} --help: {got.returncode} {got.stderr!r}'
        if call(program, ['help', *command.split()]).stdout != got.stdout:
            yield f'help {command} is not {command} --help'
        if not got.stdout.startswith(f'Usage: {name} {command} '):
            yield f'{command} --help begins with {got.stdout[:40]!r}'
        if max(map(len, got.stdout.splitlines())) > 80:
            yield f'{command} --help has lines of more than 80 columns'
        own = got.stdout.split('\nOptions of the collector')[0]
        shown = re.findall(r'^  (--[a-z0-9-]+)(.*(?:\n    +.*)*)', own, re.M)
        wanted = [r for r in rows if bit in r[3]]
        if [s[0] for s in shown] != [w[0] for w in wanted]:
            yield f'{command} --help lists {[s[0] for s in shown]}'
            continue
        columns = set(len(m) for m in re.findall(r'^( {6,})\S', own, re.M))
        if len(columns) > 1:
            yield f'{command} --help has text in columns {columns}'
        for (_, default, variable, _), (option, text) in zip(wanted, shown):
            text = ' '.join(text.split())
            if default and f'(default: {default})' not in text:
                yield f'{command} --help: {option} without {default}'
            if variable and f'[{variable}]' not in text:
                yield f'{command} --help: {option} without {variable}'


def main():
    with tempfile.TemporaryDirectory() as folder:
        failed = play('kernsiftd', running.BIN, SERVER_CASES, folder) + \
            play('kernsift', CLIENT, CLIENT_CASES, folder)
    for name in TABLES:
        for sentence in check_help(name):
            print(f'{name}: {sentence}')
            failed += 1
    print(f'{len(SERVER_CASES) + len(CLIENT_CASES)} command lines, '
          f'{failed} wrong')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
