# SPDX-License-Identifier: BSD-3-Clause
"""usage: layout_check.py RUN.h5 [LEFT_OUT...]: compare the types and fields of layout_victim's samples with the known ones, but for these
functions. Status 3: too few samples to decide."""
import collections
import sys

import h5py

NONE = 2**32 - 1
TREE = "std::_Rb_tree_node<std::pair<int const, value> >."
HASH = "std::__detail::_Hash_node<std::pair<int const, value>, false>."
# by function: the types that its accesses may have, and the shares of fields among its loads; all other data is wrong
KNOWN = {
    "run_array_of_structs": (["particle"], {"particle.mass": 1, "particle.pos[]": 2}),
    "run_struct_of_arrays": (["columns", "long int"], {"columns.x": 1, "columns.y": 1, "long int": 2}),
    "run_linked_list": (["link"], {"link.key": 1, "link.payload[]": 1, "link.next": 1}),
    "run_map": (["std::_Rb_tree_node<std::pair<int const, value> >"], None),
    "run_unordered_map": (["std::__detail::_Hash_node<std::pair<int const, value>, false>",
                           "std::__detail::_Hash_node_base *", "_Hash_node_base *"], None),
    "run_vector": (["item"], {"item.weight": 1, "item.state": 1}),
    "run_inheritance": (["circle", "shape *"], {"circle.id": 1, "circle.radius": 2, "shape *": 1}),
    "run_union": (["message"], {"message.kind": 1, "message.u.whole": 1, "message.u.half.high": 2}),
    "run_bit_fields": (["flags"], {"flags.mode": 1, "flags.level": 2, "flags.mode|rank|level|low|high": 1}),
    "run_globals": (["counter"], {"counter.hits": 1}),
    "run_wrapper": (["wrapped"], {"wrapped.second": 1}),
    "run_header": (["behind"], {"behind.second": 1, "behind.third": 2}),
    "run_pool_one": (["pooled_one"], {"pooled_one.b": 1, "pooled_one.d": 2}),
    "run_pool_two": (["pooled_two"], {"pooled_two.y": 1, "pooled_two.z": 2}),
    "run_table": (["unsigned char", "unsigned int"], None),
    "run_voted": (["voted"], {"voted.a": 1, "voted.c": 2}),
    "run_handles": (["hidden"], {"hidden.key": 1, "hidden.next": 1}),
    "run_members": (["owner", "linked"], {"owner.first": 2, "owner.after": 1, "linked.key": 2, "linked.next": 1}),
    "run_indexed": (["entries", "entry", "keyed"], None),
    "run_on_stack": (["point", "long int", "int", "point *", "point &"], None),
    "run_through_pointer": (["point", "long int", "int", "point *"], None),
}
HEAP = ("site", "block", "symbol", "heap-small", "anonymous")
STACK = ("frame", "stack")
# functions whose data is on the stack, and the share of its accesses that have a type at least. After a gap in a burst a pointer
# to the frame of a caller shows nothing.
ON_STACK = {"run_on_stack": 0.8, "run_through_pointer": 0}
LEAST = 300  # accesses of a function


def texts(data):
    return data.asstr()[:]


def main():
    run = h5py.File(sys.argv[1], "r")
    lines = run["lines"]
    names = collections.defaultdict(list)
    for ip, function in zip(lines["ip"][:], texts(lines["function"])):
        names[int(ip)].append(function)
    ips = lines["ip"][:]
    for line, function in zip(run["inlines/line"][:], texts(run["inlines/function"])):
        names[int(ips[line])].append(function)
    kinds = [str(k, "utf-8") for k in run["nodes"].attrs["kinds"]]
    node_kinds = [kinds[k] for k in run["nodes/kind"][:]]
    types, members = texts(run["types/name"]), run["members"]
    paths, type_of = texts(members["path"]), members["type"][:]

    accesses = collections.defaultdict(collections.Counter)  # all of heap and static data
    loads = collections.defaultdict(collections.Counter)
    samples = run["samples"]
    for ip, node, member, op in zip(samples["ip"][:], samples["node"][:], samples["member"][:], samples["op"][:]):
        function = next((f.split("(")[0] for f in names[int(ip)] if f.startswith("run_")), None)
        wanted = STACK if function in ON_STACK else HEAP
        if function is None or node_kinds[node] not in wanted:
            continue
        accesses[function][None if member == NONE else types[type_of[member]]] += 1
        if op == 0 and member != NONE:
            loads[function][types[type_of[member]] + ("." if paths[member] else "") + paths[member]] += 1

    status = few = 0
    right = wrong = 0
    for function, (expected, shares) in KNOWN.items():
        if function in sys.argv[2:]:
            continue
        found, total = accesses[function], sum(accesses[function].values())
        if total < LEAST:
            few = 1
            print(f"{function}: only {total} accesses")
            continue
        typed = total - found[None]
        good = sum(found[name] for name in expected)
        right, wrong = right + good, wrong + typed - good
        if typed < ON_STACK.get(function, 0.8) * total:
            print(f"{function}: {typed} of {total} accesses have a type: {found.most_common(4)}")
            status = 1
        if shares is None or not loads[function]:
            continue
        parts, all_loads = sum(shares.values()), sum(loads[function].values())
        for field, part in shares.items():
            share = loads[function][field] / all_loads
            slack = 0.03 + 3 * (0.25 / all_loads)**0.5  # chance
            if abs(share - part / parts) > slack:
                print(f"{function}: {field} has {share:.3f} of {all_loads} loads, expected {part / parts:.3f}")
                status = 1
    if right + wrong == 0 or wrong > 0.01 * (right + wrong):
        print(f"{wrong} of {right + wrong} typed accesses have the wrong type")
        status = 1
    print(f"{right} right, {wrong} wrong")
    return status or (3 if few else 0)


if __name__ == "__main__":
    sys.exit(main())
