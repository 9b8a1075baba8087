#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
. "${top_srcdir:-.}/tests/tools/check.sh"
expect 2 "Usage: loadstone COMMAND" "$loadstone"
expect 0 "record" "$loadstone" --help
expect 0 "loadstone" "$loadstone" --version
expect 2 "did you mean 'report'?" "$loadstone" reprot x
expect 2 "loadstone --help lists them" "$loadstone" frobnicate
expect 2 "did you mean --json?" "$loadstone" report --jsn x
expect 2 "--sort needs an argument" "$loadstone" report --sort
expect 2 "is none of time|stall" "$loadstone" report --sort speed x
expect 2 "takes no argument" "$loadstone" report --json=yes x
expect 2 "FILE is missing" "$loadstone" report
expect 2 "one argument too many" "$loadstone" report a b
expect 125 "unknown option -z" "$loadstone" record -z true
expect 125 "did you mean --overhead?" "$loadstone" record --overhed 3% true
expect 125 "unknown unit" "$loadstone" record --period 3parsec true
expect 125 "PROGRAM" "$loadstone" record
expect 0 "default: 3%" "$loadstone" record --help
expect 0 "Usage: loadstone resolve" "$loadstone" help resolve
exit $failed
