loadstone: cannot run ./ex: No such file or directory
