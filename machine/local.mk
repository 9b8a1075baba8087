# machine
