# SPDX-License-Identifier: BSD-3-Clause
"""h5py and pandas read run.h5 directly; doc/run-h5.md lists its columns and shows their output.

usage: test_run_h5.py RUN.h5 DOC.md
The part of DOC.md between the two marks must be the output of show(); LS_UPDATE=1 writes it there."""
import os
import re
import sys

import h5py
import numpy
import pandas

BEGIN, END = "<!-- example: begin -->", "<!-- example: end -->"
MACHINE_DEPENDENT = {"host", "cpu", "topology", "start_realtime_ns", "version"}


def table(group):
    """A table of the file as a data frame: each column is one data set."""
    columns = {}
    for name, data in group.items():
        values = data.asstr()[:] if h5py.check_string_dtype(data.dtype) else data[:]
        columns[name] = values
    return pandas.DataFrame(columns)


def show(run):
    lines = ["attributes of /run (machine-dependent ones left out)"]
    for name in sorted(run["run"].attrs):
        if name not in MACHINE_DEPENDENT:
            value = run["run"].attrs[name]
            lines.append(f"    {name} = {value.decode() if isinstance(value, bytes) else value}")
    nodes = table(run["nodes"])
    kinds = [k.decode() if isinstance(k, bytes) else k for k in run["nodes"].attrs["kinds"]]
    lines.append("\n/nodes")
    for n in nodes.itertuples():
        parent = "-" if n.parent == 2**32 - 1 else n.parent
        died = "-" if n.died_ns == 2**64 - 1 else n.died_ns
        lines.append(f"    id {n.id} parent {parent} kind {kinds[n.kind]} label '{n.label}' "
                     f"[{n.base:#x}, {n.end:#x}) life [{n.born_ns}, {died})")
    lines.append("\n/samples")
    samples = table(run["samples"])
    for s in samples.itertuples():
        missing = lambda name: run["samples"][name].attrs["missing"]
        value = lambda name: "-" if getattr(s, name) == missing(name) else getattr(s, name)
        lines.append(f"    time {s.time_ns} thread {s.thread} addr {s.addr:#x} node '{nodes.label[s.node]}' element "
                     f"{value('element')} component {value('component')} latency {value('latency_cycles')} "
                     f"level {value('level')} phase {value('phase')} burst {s.burst}")
    for name in ("threads", "phases"):
        lines.append(f"\n/{name}")
        lines += ["    " + " ".join(f"{k} {v!r}" if isinstance(v, str) else f"{k} {v}" for k, v in row.items())
                  for row in table(run[name]).to_dict("records")]
    return "\n".join(lines)


def check(run):
    lengths = {name: data.shape for name, data in run["samples"].items()}
    assert len(set(lengths.values())) == 1 and len(lengths) == 33, lengths
    for name, data in run["samples"].items():
        assert data.fillvalue == data.attrs["missing"], name
        assert data.attrs["description"], name
    samples = table(run["samples"])
    nodes = table(run["nodes"])
    by_node = samples.groupby(samples.node.map(nodes.label)).size()
    assert by_node["A"] == 1 and by_node["heap blocks"] == 1, by_node
    assert samples.weight_ns.dtype == numpy.uint64
    for empty in ("fields", "meshes"):
        assert len(run[empty]) == 0, empty
    for name in ("modules", "lines", "events", "sources", "bursts", "processes", "frames", "sites"):
        table(run[name])


TYPES = {"u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64", "i32": "int32"}


def missing(text, dtype):
    """The fill value that the page calls text."""
    values = {"all ones": numpy.iinfo(dtype).max, "lowest": numpy.iinfo(dtype).min, "": 0}
    return values[text] if text in values else int(text)


def check_page(run, page):
    """The tables of the page have the columns of the file, with their types and missing values, and no others."""
    samples, tables = {}, {}
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        names = re.findall(r"`([^`]+)`", cells[0]) if cells else []
        if len(cells) == 4 and cells[1] in TYPES:
            samples.update({name: (TYPES[cells[1]], missing(cells[2], TYPES[cells[1]])) for name in names})
        elif len(cells) == 3 and names and names[0][0] == "/" and "NAME" not in names[0]:
            tables.update({name: sorted(re.search(r"`([^`]+)`", cells[2])[1].split()) for name in names})
    want = {name: (str(data.dtype), data.fillvalue) for name, data in run["samples"].items()}
    assert samples == want, set(samples.items()) ^ set(want.items())
    found = {}
    run.visititems(lambda name, item: found.setdefault("/" + name.rpartition("/")[0], []).append(name.rpartition("/")[2])
                   if isinstance(item, h5py.Dataset) and not name.startswith("samples/") else None)
    found = {group: sorted(names) for group, names in found.items()}
    for name in ("/ranks", "/sums", "/rank_data"):  # tests/tools/ranks.py checks them
        del tables[name]
    assert tables == found, [(g, tables.get(g), found.get(g)) for g in tables.keys() | found if tables.get(g) != found.get(g)]


def main():
    with h5py.File(sys.argv[1], "r") as run:
        check(run)
        want = f"{BEGIN}\n```\n{show(run)}\n```\n{END}"
    with open(sys.argv[2], encoding="utf-8") as doc:
        text = doc.read()
    with h5py.File(sys.argv[1], "r") as run:
        check_page(run, text)
    before, rest = text.split(BEGIN)
    inside, after = rest.split(END)
    if BEGIN + inside + END == want:
        return 0
    if os.environ.get("LS_UPDATE"):
        with open(sys.argv[2], "w", encoding="utf-8") as doc:
            doc.write(before + want + after)
        print(f"updated {sys.argv[2]}")
        return 0
    print(f"{sys.argv[2]} shows something else than the program writes; LS_UPDATE=1 make check renews it.")
    print("--- expected\n" + want + "\n--- found\n" + BEGIN + inside + END)
    return 1


sys.exit(main())
