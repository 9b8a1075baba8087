# SPDX-License-Identifier: BSD-3-Clause
"""usage: fields_check.py RUN.h5 DIR: the shares of fields among the loads of a recorded layout_victim, and the exact ones: DIR has
the accesses of each function as trace_lines prints them. Status 3: too few samples to decide."""
import collections
import os
import sys

import h5py

NODE = "std::_Rb_tree_node<std::pair<int const, value> >"
HASH = "std::__detail::_Hash_node<std::pair<int const, value>, false>"
# by function: bytes of its type, and the first byte of each field that it loads, with the field's name
LAYOUTS = {
    "run_array_of_structs": (104, {0: "particle.pos[]", 24: "particle.vel[]", 48: "particle.mass", 56: "particle.id"}),
    "run_linked_list": (48, {0: "link.next", 8: "link.key", 16: "link.payload[]"}),
    "run_vector": (16, {0: "item.kind", 2: "item.state", 8: "item.weight"}),
    "run_union": (16, {0: "message.kind", 8: "message.u.whole", 12: "message.u.half.high"}),
    "run_map": (88, {0: "color", 8: "parent", 16: "left", 24: "right", 32: "key", 40: "cold", 80: "hot"}),
    "run_unordered_map": (64, {0: "next", 8: "key", 16: "cold", 56: "hot"}),
    "run_voted": (16, {0: "voted.a", 4: "voted.b", 8: "voted.c"}),
}
# the same for members inside of containers' nodes: the ending of the member's name in the profile
ENDINGS = {"_M_color": "color", "_M_parent": "parent", "_M_left": "left", "_M_right": "right", "first": "key", "cold[]": "cold",
           "hot": "hot", "_M_nxt": "next"}
LEAST = 300
NONE = 2**32 - 1


def texts(data):
    return data.asstr()[:]


def recorded(path):
    """Loads of each function by field."""
    run = h5py.File(path, "r")
    function_of = dict(zip((int(ip) for ip in run["lines/ip"][:]), texts(run["lines/function"])))
    symbol_of = dict(zip((int(ip) for ip in run["lines/ip"][:]), texts(run["lines/symbol"])))
    types, paths, type_of = texts(run["types/name"]), texts(run["members/path"]), run["members/type"][:]
    kinds = [str(k, "utf-8") for k in run["nodes"].attrs["kinds"]]
    node_kinds = [kinds[k] for k in run["nodes/kind"][:]]
    loads = collections.defaultdict(collections.Counter)
    samples = run["samples"]
    for ip, node, member, op in zip(samples["ip"][:], samples["node"][:], samples["member"][:], samples["op"][:]):
        names = {name.split("(")[0] for name in (function_of[int(ip)], symbol_of[int(ip)])}
        function = next((name for name in names if name in LAYOUTS), None)
        if function is None or op != 0 or member == NONE or node_kinds[node] not in ("site", "block"):
            continue
        name, path_of = types[type_of[member]], paths[member]
        if name in (NODE, HASH):
            loads[function][ENDINGS.get(path_of.split(".")[-1], path_of)] += 1
        elif name.split("::")[-1] == LAYOUTS[function][1][0].split(".")[0]:
            loads[function][name + "." + path_of] += 1
    return loads


def exact(path, function):
    bytes_of_type, fields = LAYOUTS[function]
    loads = collections.Counter()
    for line in open(path):
        words = line.split()
        if "load" not in words or words[-2] in ("-", "shapes") or not words[-1].isdigit():
            continue
        size = int(words[words.index("load") + 1])
        at = int(words[-1]) % bytes_of_type
        if size > bytes_of_type or "stack" in line:
            continue
        loads[fields[max(first for first in fields if first <= at)]] += 1
    return loads


def main():
    profile, few, status = recorded(sys.argv[1]), 0, 0
    for function in LAYOUTS:
        path = os.path.join(sys.argv[2], function)
        truth, found = exact(path, function), profile[function]
        all_truth, all_found = sum(truth.values()), sum(found.values())
        if all_found < LEAST or all_truth == 0:
            print(f"{function}: {all_found} loads sampled, {all_truth} traced")
            few = 1 if all_truth else few
            status = status if all_truth else 1
            continue
        slack = 0.03 + 3 * (0.25 / all_found)**0.5  # chance
        for field in set(truth) | set(found):
            a, b = truth[field] / all_truth, found[field] / all_found
            if abs(a - b) > slack:
                print(f"{function}: {field} has {b:.3f} of {all_found} sampled loads, {a:.3f} of {all_truth} traced ones")
                status = 1
    print(f"{len(LAYOUTS)} functions compared")
    return status or (3 if few else 0)


sys.exit(main())
