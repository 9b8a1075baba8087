# SPDX-License-Identifier: BSD-3-Clause
# packages: redis-server redis-tools
exec bash -c 'redis-server --port 0 --unixsocket $SCRATCH/s --save "" --appendonly no --daemonize no --enable-debug-command local >/dev/null 2>&1 & server=$!
for i in $(seq 100); do redis-cli -s $SCRATCH/s ping >/dev/null 2>&1 && break; sleep 0.1; done
awk "BEGIN { for (i = 0; i < 400000; i++) printf \"SET key:%d value-%d\r\nLPUSH list:%d %d\r\n\", i * 7919 % 100003, i, i % 100, i }" | redis-cli -s $SCRATCH/s --pipe | tail -1
redis-cli -s $SCRATCH/s dbsize; redis-cli -s $SCRATCH/s sort list:7 limit 0 3; redis-cli -s $SCRATCH/s debug digest
redis-cli -s $SCRATCH/s shutdown nosave; wait $server; echo status $?'
