# SPDX-License-Identifier: BSD-3-Clause
# packages: z3
exec z3 $DATA/problem.smt2
