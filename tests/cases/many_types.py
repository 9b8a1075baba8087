# SPDX-License-Identifier: BSD-3-Clause
"""usage: many_types.py COUNT USED: write a program, main.c and types.s, whose debugging information has COUNT types in one unit:
structures that contain the one before, without end; and types that lie about their size, contain themselves, have circles of
names or more members than memory. The program allocates and reads objects of USED of the structures and of all the others."""
import struct
import sys

DW_TAG = {"member": 0x0D, "pointer": 0x0F, "unit": 0x11, "struct": 0x13, "typedef": 0x16, "base": 0x24, "array": 0x01, "range": 0x21}
NAME, SIZE, ENCODING, PLACE, TYPE, LANGUAGE, BOUND = 0x03, 0x0B, 0x3E, 0x38, 0x49, 0x13, 0x2F
STRING, DATA1, DATA2, DATA8, REF4 = 0x08, 0x0B, 0x05, 0x07, 0x13
ABBREVIATIONS = [("unit", 1, (LANGUAGE, DATA1)), ("base", 0, (NAME, STRING), (SIZE, DATA1), (ENCODING, DATA1)),
                 ("struct", 1, (NAME, STRING), (SIZE, DATA8)), ("member", 0, (NAME, STRING), (PLACE, DATA8), (TYPE, REF4)),
                 ("typedef", 0, (NAME, STRING), (TYPE, REF4)), ("array", 1, (TYPE, REF4)), ("range", 0, (BOUND, DATA8))]
CODE = {row[0]: bytes([number]) for number, row in enumerate(ABBREVIATIONS, 1)}
HEADER_BYTES = 11


class Entries:
    def __init__(self):
        self.bytes, self.at, self.later = bytearray(CODE["unit"] + b"\x1d"), {}, []

    def add(self, kind, name, data=b""):
        self.at[name] = HEADER_BYTES + len(self.bytes)
        self.bytes += CODE[kind] + name.encode() + b"\0" + data

    def refer(self, name):
        """To an entry that may follow later."""
        self.later.append((len(self.bytes), name))
        self.bytes += b"\0\0\0\0"

    def struct(self, name, size, *members):
        self.add("struct", name, struct.pack("<Q", size))
        for member, place, kind in members:
            self.bytes += CODE["member"] + member.encode() + b"\0" + struct.pack("<Q", place)
            self.refer(kind)
        self.bytes += b"\0"

    def typedef(self, name, kind):
        self.add("typedef", name)
        self.refer(kind)

    def array(self, name, kind, bound):
        self.at[name] = HEADER_BYTES + len(self.bytes)
        self.bytes += CODE["array"]
        self.refer(kind)
        self.bytes += CODE["range"] + struct.pack("<Q", bound) + b"\0"

    def whole(self):
        for where, name in self.later:
            self.bytes[where:where + 4] = struct.pack("<I", self.at[name])
        return bytes(self.bytes) + b"\0"


def main():
    count, used = int(sys.argv[1]), int(sys.argv[2])
    e = Entries()
    e.add("base", "long int", b"\x08\x05")
    e.struct("m0", 16, ("a", 0, "long int"))
    e.struct("endless", 16, ("a", 0, "long int"), ("self", 8, "endless"))
    e.typedef("one", "two")
    e.typedef("two", "one")
    e.struct("circle", 16, ("a", 0, "long int"), ("b", 8, "one"))
    e.struct("huge", 1 << 40, ("a", 0, "long int"))
    e.array("array", "long int", 1 << 60)
    e.struct("liar", 16, ("a", 0, "long int"), ("far", 1 << 31, "long int"), ("farther", 1 << 63, "long int"), ("many", 8, "array"))
    e.struct("double0", 8, ("a", 0, "long int"))
    for i in range(1, 40):
        e.struct(f"double{i}", 8 << min(i, 20), ("a", 0, f"double{i - 1}"), ("b", 4 << min(i, 20), f"double{i - 1}"))
    e.struct("wide", 1 << 20, *((f"f{i}", 8 * i, "long int") for i in range(100000)))
    for i in range(1, count):
        e.struct(f"m{i}", 16, ("a", 0, "long int"), ("before", 8, f"m{i - 1}"))
    abbreviations = b""
    for number, (tag, has_children, *attributes) in enumerate(ABBREVIATIONS, 1):
        abbreviations += bytes([number, DW_TAG[tag], has_children]) + b"".join(map(bytes, attributes)) + b"\0\0"
    with open("abbreviations", "wb") as out:
        out.write(abbreviations + b"\0")
    with open("entries", "wb") as out:
        out.write(e.whole())
    with open("types.s", "w") as out:
        out.write('''.section .debug_abbrev,"",@progbits
abbreviations: .incbin "abbreviations"
.section .debug_info,"",@progbits
.long end - begin
begin: .value 4
.long abbreviations
.byte 8
.incbin "entries"
end:
.section .note.GNU-stack,"",@progbits
''')
    names = [f"m{i * (count - 1) // (used - 1)}" for i in range(used)] + ["endless", "circle", "huge", "liar", "double39", "wide"]
    with open("main.c", "w") as out:
        out.write("#include <stdio.h>\n#include <stdlib.h>\nenum { LONGS = 4096 };\n")
        for number, name in enumerate(names):
            out.write(f'''struct {name};
__attribute__((noinline)) static long use{number}(long n)
{{
    struct {name} *p{number} = calloc(LONGS, 8);
    volatile long *a = (volatile long *)p{number};
    long sum = 0;
    for (long i = 0; i < n; i++) {{
        sum += a[2 * i % LONGS];
        a[2 * i % LONGS] = sum;
    }}
    free(p{number});
    return sum;
}}
''')
        out.write("int main(int argc, char **argv)\n{\n    const long n = argc > 1 ? atol(argv[1]) : 1000;\n    long sum = 0;\n")
        for number in range(len(names)):
            out.write(f"    sum += use{number}(n);\n")
        out.write('    printf("%ld\\n", sum);\n    return 0;\n}\n')


main()
