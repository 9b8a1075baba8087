#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Write an archive of Performance Co-Pilot by libpcp_import, with the counters of POWER9's memory controllers as the paper of
doc/traffic.md names them: eight controllers, read and written bytes, one instance for each socket.

usage: pcp_archive.py NAME [SECOND]     SECOND: a mark, after which all values are unknown until the next record

Counter k (controller 2k for reads, 2k + 1 for writes; cpu87, then cpu175) grows by (k + 1) x 10^8 bytes a second, for 60 s."""
import ctypes
import sys

BEGIN, SECONDS, PER_SECOND = 1700000000, 60, 10
U32, U64, DOUBLE, STRING = 1, 3, 5, 6  # PM_TYPE_*
COUNTER, INSTANT = 1, 3                # PM_SEM_*


class Units(ctypes.Structure):  # pmUnits: 32 bits; all zero has no dimension
    _fields_ = [("bits", ctypes.c_uint)]


def main():
    pcp = ctypes.CDLL("libpcp_import.so.1")
    pcp.pmiErrStr.restype = ctypes.c_char_p
    pcp.pmiAddMetric.argtypes = [ctypes.c_char_p, ctypes.c_uint, ctypes.c_int, ctypes.c_uint, ctypes.c_int, Units]

    def call(name, *arguments):
        result = getattr(pcp, name)(*[a.encode() if isinstance(a, str) else a for a in arguments])
        if result < 0:
            sys.exit("%s%r: %s" % (name, arguments, pcp.pmiErrStr(result).decode()))
        return result

    call("pmiStart", sys.argv[1], 0)
    call("pmiSetHostname", "summit")
    call("pmiSetTimezone", "UTC")
    agent, cpus = 127, pcp.pmiInDom(127, 0)
    metrics = ["perfevent.hwcounters.nest_mba%d_imc.PM_MBA%d_%s_BYTES.value" % (k // 2, k // 2, ("READ", "WRITE")[k % 2]) for k in range(16)]
    for k, metric in enumerate(metrics):
        call("pmiAddMetric", metric, pcp.pmiID(agent, 0, k), U64, cpus, COUNTER, Units(0))
    call("pmiAddMetric", "perfevent.hwcounters.nest_mba0_imc.PM_MBA0_READ_BYTES.dutycycle", pcp.pmiID(agent, 1, 0), DOUBLE, cpus, INSTANT, Units(0))
    call("pmiAddMetric", "perfevent.derived.name", pcp.pmiID(agent, 2, 0), STRING, 0xffffffff, INSTANT, Units(0))
    for i, cpu in enumerate(("cpu87", "cpu175")):
        call("pmiAddInstance", cpus, cpu, i)
    mark = float(sys.argv[2]) if len(sys.argv) > 2 else None
    for step in range(SECONDS * PER_SECOND):
        at = step / PER_SECOND
        if mark is not None and at >= mark:
            call("pmiPutMark")
            mark = None
            continue
        for k, metric in enumerate(metrics):
            for i, cpu in enumerate(("cpu87", "cpu175")):
                call("pmiPutValue", metric, cpu, str(10**15 + (2 * k + i + 1) * 10**8 * step // PER_SECOND))
        for cpu in ("cpu87", "cpu175"):
            call("pmiPutValue", "perfevent.hwcounters.nest_mba0_imc.PM_MBA0_READ_BYTES.dutycycle", cpu, "1.0")
        call("pmiPutValue", "perfevent.derived.name", None, "nest")
        call("pmiWrite", BEGIN + step // PER_SECOND, step % PER_SECOND * (1000000 // PER_SECOND))
    call("pmiEnd")


main()
