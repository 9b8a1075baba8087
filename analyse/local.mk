# analyse
