# SPDX-License-Identifier: BSD-3-Clause
# packages: r-base-core
exec R --vanilla --slave -e 'set.seed(7); x <- rnorm(1e6); y <- 2 * x + rnorm(1e6); print(round(coef(lm(y ~ x)), 4))
m <- matrix(rnorm(500 * 500), 500); print(round(sum(diag(solve(m) %*% m)), 4)); l <- split(x, sample(1000, 1e6, TRUE)); print(round(mean(sapply(l, median)), 5))
print(head(sort(table(sample(letters, 1e6, TRUE))), 2))'
