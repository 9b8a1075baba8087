#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The recipes are valid Python, name this version, and use only variables that configure has. Spack itself is replaced by a
# module that records the calls.
. "${top_srcdir:-.}/tests/tools/check.sh"
has_python sys || skip "no python3 here"
[ -x "$top_srcdir/configure" ] || skip "no configure in the source tree"
mkdir spack
cat >spack/package.py <<'E'
calls = []


def directive(name):
    return lambda *words, **named: calls.append((name, words, named))


for name in ("version", "variant", "depends_on", "conflicts", "license"):
    globals()[name] = directive(name)


class Package:
    pass


AutotoolsPackage = CMakePackage = Package
E
: >spack/__init__.py
cat >check.py <<'E'
import re
import runpy
import sys

import spack.package

packages, configure, version = sys.argv[1:]
recipe = runpy.run_path(packages + '/loadstone/package.py')['Loadstone']
calls, spack.package.calls = list(spack.package.calls), []
assert ('version', (version,), {}) in calls, calls
assert recipe.url.endswith('/loadstone-%s.tar.xz' % version), recipe.url
variants = {words[0] for name, words, _ in calls if name == 'variant'}
for name, words, named in calls:
    for variant in re.findall(r'^[+~](\w+)', named.get('when', '')):
        assert variant in variants, (words, variant)
needed = {re.match(r'[\w-]+', words[0]).group() for name, words, _ in calls if name == 'depends_on'}
assert {'hdf5', 'hwloc', 'elfutils', 'zydis', 'yajl'} <= needed, needed


class Spec(dict):
    def satisfies(self, what):
        return what in self['on']


class Mpi:
    mpicc = '/mpi/bin/mpicc'


text = open(configure).read()
for on in ({'+fortran'}, {'+mpi'}, set()):
    made = recipe()
    made.spec = Spec(on=on, mpi=Mpi)
    arguments = made.configure_args()
    assert ('FC=no' in arguments) == ('+fortran' not in on), (on, arguments)
    assert any('/mpi/bin/mpicc' in a for a in arguments) == ('+mpi' in on), (on, arguments)
    for argument in arguments:
        name = argument.split('=')[0]
        assert re.search(r'^  %s  ' % name, text, re.M), 'configure --help does not list ' + name
runpy.run_path(packages + '/zydis/package.py')['Zydis']
assert any(name == 'version' for name, _, _ in spack.package.calls)
E
must env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$scratch" "$python" check.py "$top_srcdir/packaging/spack/packages" "$top_srcdir/configure" "$("$loadstone" --version | sed 's/.* //')"
exit $failed
