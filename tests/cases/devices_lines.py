# SPDX-License-Identifier: BSD-3-Clause
"""usage: devices_lines.py RUN.h5: print blocks and copies of devices as lines of text, and samples by nodes of device memory."""
import collections
import os
import sys

import h5py

NONE32, NONE64 = 2**32 - 1, 2**64 - 1


def texts(data):
    return data.asstr()[:]


def columns(group):
    return {name: texts(data) if data.dtype.kind == "S" or data.dtype.kind == "O" else data[:] for name, data in group.items()}


def main():
    run = h5py.File(sys.argv[1], "r")
    nodes, blocks, copies = columns(run["nodes"]), columns(run["device_blocks"]), columns(run["device_copies"])
    frames, lines = columns(run["frames"]), columns(run["lines"])
    names = {key: [str(n, "utf-8") for n in run[table].attrs[key]] for table, key in
             [("device_blocks", "apis"), ("device_blocks", "memories"), ("device_copies", "directions"), ("nodes", "kinds")]}

    def label(node):
        return "host" if node == NONE32 else nodes["label"][node]

    for i in range(len(blocks["base"])):
        life = "alive" if blocks["died_ns"][i] == NONE64 else "dead"
        if life == "dead" and blocks["died_ns"][i] < blocks["born_ns"][i]:
            life = "disordered"
        node = blocks["node"][i]
        print(f"block '{label(node)}' {names['apis'][blocks['api'][i]]} {names['memories'][blocks['memory'][i]]} bytes "
              f"{blocks['len_bytes'][i]} {life} in {blocks['copied_in_bytes'][i]} out {blocks['copied_out_bytes'][i]} parent "
              f"'{label(nodes['parent'][node])}'")
    for i in range(len(copies["calls"])):
        frame = copies["label_frame"][i]
        line = frames["line"][frame] if frame != NONE32 else NONE32
        place = "?" if line == NONE32 else f"{lines['function'][line]} {os.path.basename(lines['file'][line])}:{lines['line'][line]}"
        order = "" if copies["first_ns"][i] <= copies["last_ns"][i] and copies["longest_ns"][i] <= copies["time_ns"][i] else " disordered"
        print(f"copy '{names['directions'][copies['direction'][i]]}' {names['apis'][copies['api'][i]]} "
              f"{'queued' if copies['queued'][i] else 'waits'} calls {copies['calls'][i]} bytes {copies['bytes'][i]} "
              f"'{label(copies['from'][i])}' -> '{label(copies['to'][i])}' {place}{order}")
    counts = collections.Counter(run["samples/node"][:].tolist())
    device = names["kinds"].index("device")
    for node, count in sorted(counts.items()):
        if node != NONE32 and nodes["parent"][node] != NONE32 and nodes["kind"][nodes["parent"][node]] == device:
            print(f"sampled '{label(node)}' {count}")
    return 0


sys.exit(main())
