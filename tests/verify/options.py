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
    'inspect without a file':
        (['inspect'], {}, 2, 'inspect needs the name of a file'),
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
                     'serve', 'migrate', 'rebuild', 'token', 'inspect FILE'):
            if got.returncode or part not in got.stdout:
                print(f'{word} does not tell {part}')
                failed += 1
    print(f'{len(CASES)} command lines, {failed} wrong')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
