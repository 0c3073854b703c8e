#!/usr/bin/python3
"""options.py - what kernsiftd says to a wrong command line, whole sentences.

Each case: arguments, environment, exit status, stderr. None of them gets as
far as a database.
"""
import os
import subprocess
import sys

import running

HELP = "; see 'kernsiftd help'"
NUMBER = 'should be a whole number from'
MOST = 2147483647
NAMES = 'convert needs the name of a trace and that of the capture to write'
TRACE = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                     '../traces/01-smallest/in.json')
# every word that the refusal of another names
BY = ('--by kernels|device|grid|source|launches|callers|cycles|patterns|facts|'
      'operators|shapes|unattributed|layers,...')

CASES = {
    'no command': ([], {}, 2, 'a command is missing' + HELP),
    'a command nobody knows':
        (['srve'], {}, 2, "'srve' is not a command" + HELP),
    'an option nobody knows':
        (['serve', '--prot', '1'], {}, 2, "there is no option '--prot'" + HELP),
    'an option that only begins like one':
        (['serve', '--listening=x'], {}, 2,
         "there is no option '--listening=x'" + HELP),
    'an option of another command':
        (['serve', '--scope', 'read'], {}, 2,
         "there is no option '--scope'" + HELP),
    'a single dash':
        (['serve', '-v'], {}, 2, "'-v' is one word too many" + HELP),
    'a word too many':
        (['serve', 'now'], {}, 2, "'now' is one word too many" + HELP),
    'a second operand':
        (['inspect', 'a', 'b'], {}, 2, "'b' is one word too many" + HELP),
    'an option without its value':
        (['serve', '--listen'], {}, 2, "'--listen' stands without its value"),
    'a flag with a value':
        (['serve', '--without-tokens=1'], {}, 2,
         "'--without-tokens=1' has a value, and that option takes none"),
    'further back than there is':
        (['serve', '--worker-nice', '20'], {}, 2,
         f"--worker_nice is '20', and {NUMBER} 0 to 19"),
    'letters for a number':
        (['serve', '--workers', 'two'], {}, 2,
         f"--workers is 'two', and {NUMBER} 0 to {MOST}"),
    'a number with a unit':
        (['serve', '--upload_mib=10m'], {}, 2,
         f"--upload_mib is '10m', and {NUMBER} 1 to {MOST}"),
    'a negative number':
        (['serve', '--workers=-1'], {}, 2,
         f"--workers is '-1', and {NUMBER} 0 to {MOST}"),
    'zero where one is the least':
        (['serve', '--writers', '0'], {}, 2,
         f"--writers is '0', and {NUMBER} 1 to {MOST}"),
    'a number past 32 bits':
        (['serve', '--workers', '2147483648'], {}, 2,
         f"--workers is '2147483648', and {NUMBER} 0 to {MOST}"),
    'a number past 64 bits':
        (['serve', '--workers', '99999999999999999999'], {}, 2,
         f"--workers is '99999999999999999999', and {NUMBER} 0 to {MOST}"),
    'a wrong number in the environment':
        (['serve'], {'KERNSIFT_LEASE_S': 'x'}, 2,
         f"KERNSIFT_LEASE_S is 'x', and {NUMBER} 1 to {MOST}"),
    'a wrong flag in the environment':
        (['serve'], {'KERNSIFT_WITHOUT_TOKENS': 'yes'}, 2,
         "KERNSIFT_WITHOUT_TOKENS is 'yes', and should be 1 or 0"),
    'a password file that is not there':
        (['serve', '--db-password-file', '/no/such'], {}, 2,
         "--db_password_file '/no/such' cannot be read: No such file or "
         'directory'),
    'a password file that is a folder':
        (['serve'], {'KERNSIFT_DB_PASSWORD_FILE': '/'}, 2,
         "--db_password_file '/' cannot be read: Is a directory"),
    'a password file with nothing in it':
        (['serve', '--db-password-file=/dev/null'], {}, 2,
         "--db_password_file '/dev/null' has no password in its first line, "
         'of at most 1000 bytes'),
    'the command line wins over the environment':
        (['serve', '--lease-s=y'], {'KERNSIFT_LEASE_S': 'x'}, 2,
         f"--lease_s is 'y', and {NUMBER} 1 to {MOST}"),
    'the last one given counts':
        (['serve', '--lease_s=1', '--lease_s=z'], {}, 2,
         f"--lease_s is 'z', and {NUMBER} 1 to {MOST}"),
    'empty in the environment is as good as none':
        (['serve', '--log=x'], {'KERNSIFT_LEASE_S': ''}, 2,
         "--log is 'x', and should be debug, info, warn or error"),
    'empty on the command line means the default':
        (['serve', '--log=x', '--lease_s='], {'KERNSIFT_LEASE_S': 'x'}, 2,
         "--log is 'x', and should be debug, info, warn or error"),
    'a token for nothing':
        (['token', '--name', 'me'], {}, 2,
         "--scope is '', and should be read, upload or admin"),
    'a token for a scope nobody knows':
        (['token', '--scope', 'root', '--name', 'me'], {}, 2,
         "--scope is 'root', and should be read, upload or admin"),
    'a token for nobody':
        (['token', '--scope=read'], {}, 2,
         '--name is missing: who or what is the token for?'),
    'convert without files':
        (['convert'], {}, 2, NAMES),
    'convert without a place to write to':
        (['convert', TRACE], {}, 2, NAMES),
    'convert of nothing':
        (['convert', '/nowhere/in.json', '/nowhere/out.kst'], {}, 1,
         "cannot open '/nowhere/in.json': No such file or directory"),
    'convert to where nothing can be':
        (['convert', TRACE, '/nowhere/out.kst'], {}, 1,
         "'/nowhere/out.kst' cannot be written: No such file or directory"),
    'convert of a trace to itself':
        (['convert', TRACE, TRACE], {}, 2, f"'{TRACE}' is the trace itself; "
         'give the capture another name'),
    'convert to a folder':
        (['convert', TRACE, '/'], {}, 2, "'/' is no file"),
    'convert of a run that is none':
        (['convert', TRACE, '/nowhere/out.kst', '--run', '2'], {}, 2,
         '--run is 2, and the last run of the trace is 1'),
    'convert of a run by name':
        (['convert', TRACE, '/nowhere/out.kst', '--run=all'], {}, 2,
         "--run is 'all', and should be a whole number from 1"),
    'inspect without a file':
        (['inspect'], {}, 2, 'inspect needs the name of a file'),
    'inspect by a word that is none, behind one that is':
        (['inspect', TRACE, '--by', 'kernels,smell'], {}, 2,
         "--by is 'smell', and should be one or more of kernels, device, grid, "
         'source, launches, callers, cycles, patterns, facts, operators, '
         'shapes, unattributed and layers, with commas between them'),
    'inspect with layers by a way that is none':
        (['inspect', TRACE, '--layers', 'names'], {}, 2,
         "--layers is 'names', and should be modules or period"),
    'inspect with names put back, perhaps':
        (['inspect', TRACE, '--realign', 'maybe'], {}, 2,
         "--realign is 'maybe', and should be yes or no"),
    'inspect of half a device':
        (['inspect', TRACE, '--device', '0.5'], {}, 2,
         "--device is '0.5', and should be a whole number"),
    'inspect with layers of two beginnings':
        (['inspect', TRACE, '--layer_range', 'a', '--layer_start', 'b'], {}, 2,
         '--layer_range and --layer_start both tell where layers are; give one '
         'of them'),
    'inspect by several, as one document':
        (['inspect', TRACE, '--by', 'device,grid', '--format', 'json'], {}, 2,
         "--by is 'device,grid', and a JSON document takes one word"),
}


def call(args, extra):
    env = {k: v for k, v in os.environ.items()
           if not k.startswith('KERNSIFT_')}
    return subprocess.run([running.BIN, *args], env={**env, **extra},
                          capture_output=True, text=True, timeout=60)


def main():
    failed = 0
    for name, (args, env, status, sentence) in CASES.items():
        got = call(args, env)
        want = (status, f'kernsiftd: {sentence}\n', '')
        if (got.returncode, got.stderr, got.stdout) != want:
            print(f'{name}: {got.returncode} {got.stderr!r} {got.stdout!r}')
            failed += 1
    for word in ('help', '--help', '-h'):
        got = call([word], {})
        for part in ('--listen', 'KERNSIFT_LISTEN', '[127.0.0.1:8080]',
                     'serve', 'migrate', 'rebuild', 'token', 'inspect FILE',
                     BY):
            if got.returncode or part not in got.stdout:
                print(f'{word} does not tell {part}')
                failed += 1
    print(f'{len(CASES)} command lines, {failed} wrong')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
