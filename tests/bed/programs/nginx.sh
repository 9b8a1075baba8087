# SPDX-License-Identifier: BSD-3-Clause
# packages: nginx-light curl
exec bash -c 'cat >$SCRATCH/conf <<C
daemon off; master_process on; worker_processes 2; pid $SCRATCH/pid; error_log /dev/null; user root;
events { worker_connections 64; }
http { access_log off; gzip on; gzip_min_length 1; gzip_types *; client_body_temp_path $SCRATCH/b; proxy_temp_path $SCRATCH/p; fastcgi_temp_path $SCRATCH/f; uwsgi_temp_path $SCRATCH/u; scgi_temp_path $SCRATCH/g;
server { listen unix:$SCRATCH/s; root $DATA; } }
C
nginx -p $SCRATCH -c $SCRATCH/conf 2>/dev/null & server=$!
for i in $(seq 100); do [ -S $SCRATCH/s ] && break; sleep 0.1; done
for i in $(seq 40); do curl -s --compressed --unix-socket $SCRATCH/s http://localhost/text http://localhost/many.c | cksum; done | sort | uniq -c
kill -QUIT $server; wait $server; echo status $?'
