# SPDX-License-Identifier: BSD-3-Clause
# packages: sqlite3
exec sqlite3 :memory: "
create table t(id integer primary key, k integer, v text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000000)
insert into t select i, i * 7919 % 100003, 'value ' || i % 977 from n;
create index by_k on t(k);
select count(*), sum(a.id) from t a join t b on a.k = b.k where b.id % 7 = 0;
select v, count(*), avg(k) from t group by v order by 2 desc, 1 limit 5;"
