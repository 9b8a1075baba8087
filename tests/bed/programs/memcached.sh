# SPDX-License-Identifier: BSD-3-Clause
# packages: memcached python3
# user: nobody
exec bash -c 'memcached -s $SCRATCH/s -m 64 -t 2 & server=$!
for i in $(seq 100); do [ -S $SCRATCH/s ] && break; sleep 0.1; done
/usr/bin/python3 - <<P
import socket, os
s = socket.socket(socket.AF_UNIX); s.connect(os.environ["SCRATCH"] + "/s"); f = s.makefile("rwb")
for i in range(150000):
    v = b"v%d" % (i * 7919)
    f.write(b"set k%d 0 0 %d noreply\r\n%s\r\n" % (i % 50021, len(v), v))
f.flush(); total = 0
for i in range(0, 50021, 7):
    f.write(b"get k%d\r\n" % i); f.flush()
    line = f.readline()
    while line != b"END\r\n": total += len(line); line = f.readline()
print(total)
P
kill $server; wait $server; echo status $?'
