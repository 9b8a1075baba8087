# SPDX-License-Identifier: BSD-3-Clause
# packages: postgresql
# user: nobody
export PATH=$PATH:$(ls -d /usr/lib/postgresql/*/bin | tail -1)
exec bash -c 'initdb -D $SCRATCH/db -A trust -U test >/dev/null || exit; cd $SCRATCH
pg_ctl -s -w -D $SCRATCH/db -o "-c listen_addresses= -k $SCRATCH -c fsync=off -c max_parallel_workers_per_gather=0" -l $SCRATCH/log start || { cat $SCRATCH/log; exit 1; }
psql -h $SCRATCH -U test -At postgres -c "create table t as select i, i * 7919::bigint % 100003 as k, md5(i::text) as v from generate_series(1, 600000) i" \
  -c "create index on t(k)" -c "select count(*), sum(a.i::bigint) from t a join t b using (k) where b.i % 5 = 0" -c "select left(v, 2), count(*) from t group by 1 order by 2 desc, 1 limit 3"
pg_ctl -s -w -D $SCRATCH/db -m fast stop; echo status $?'
