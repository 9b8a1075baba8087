#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Two users: while root records 200 times in a sticky directory that everybody may write, another user makes
# directories with possible names of spools, with links to a file of root's in them, and exchanges new
# entries. Nothing is written through them.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
[ "$(id -u)" -eq 0 ] || skip "needs root, to be two users"
command -v setpriv >/dev/null || skip "no setpriv"
cat >other.c <<'E2'
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
enum { WINDOW = 64, AHEAD = 12, TURNS = 20 };
static long made;
/* Empty directories of the names that are to come. */
static void make_directories(long pid)
{
    char dir[64];
    if (made < pid || made > pid + 2 * WINDOW) made = pid;
    for (; made < pid + WINDOW; made++) {
        snprintf(dir, sizeof(dir), "loadstone-spool-%ld", made);
        mkdir(dir, 0777);
        chmod(dir, 0777);
    }
}
static void take_directories_of_others(const char *target)
{
    DIR *d = opendir(".");
    struct stat st;
    for (struct dirent *e; d && (e = readdir(d));) {
        char conf[400];
        if (strncmp(e->d_name, "loadstone-spool-", 16) != 0 || stat(e->d_name, &st) != 0 || st.st_uid == geteuid()) continue;
        rename(e->d_name, "taken");
        mkdir(e->d_name, 0777);
        snprintf(conf, sizeof(conf), "%s/spool.conf", e->d_name);
        symlink(target, conf);
    }
    if (d) closedir(d);
}
/* argv: the file that is not ours. In the directory that both users share. */
int main(int argc, char **argv)
{
    if (argc < 2) return 2;
    while (access("stop", F_OK) != 0) {
        const pid_t pid = fork();
        if (pid == 0) _exit(0);
        waitpid(pid, NULL, 0);
        make_directories(pid);
        for (int turn = 0; turn < TURNS; turn++)
            for (int i = 1; i <= AHEAD; i++) {
                char conf[80];
                snprintf(conf, sizeof(conf), "loadstone-spool-%ld/spool.conf", (long)pid + i);
                symlink(argv[1], conf);
                unlink(conf);
            }
        take_directories_of_others(argv[1]);
    }
    return 0;
}
E2
${CC:-cc} -O1 -w -o other other.c || skip "no C compiler"
chmod 755 . other
mkdir shared own
chmod 1777 shared
chmod 700 own
echo secret >own/target
chmod 600 own/target
# a directory of another user under the name that a recording might take is not used
mkdir early
chmod 1777 early
TMPDIR=$scratch/early sh -c 'cd early && mkdir -m 777 loadstone-spool-$$ && chown 65534 loadstone-spool-$$ &&
    exec "$1" record -q -f -o ../own/run.h5 --engine null --keep-spool -- true' sh "$loadstone" >out 2>err </dev/null
must test -z "$(find early -user 65534 -type d ! -empty)"
(cd shared && TMPDIR='' exec setpriv --reuid=65534 --regid=65534 --clear-groups ../other "$scratch/own/target") &
other=$!
cd shared || exit 99
recorded=0
for i in $(seq 200); do
    TMPDIR=$scratch/shared "$loadstone" record -q -f -o "$scratch/own/run.h5" --engine null -- true >"$scratch/out" 2>"$scratch/err" </dev/null && recorded=$((recorded + 1))
    [ "$(cat "$scratch/own/target")" = secret ] || { echo "FAIL: at recording $i root's file was written: $(head -3 "$scratch/own/target")"; failed=1; break; }
done
kill -0 $other || { echo "FAIL: the other user gave up"; failed=1; }
touch stop
wait $other
must test $recorded -eq 200
must test -z "$(find . -name 'loadstone-spool*' -user 0)"
exit $failed
