# packages: z3
exec z3 $DATA/problem.smt2
