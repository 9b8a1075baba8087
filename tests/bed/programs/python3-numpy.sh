# SPDX-License-Identifier: BSD-3-Clause
# packages: python3 python3-numpy
exec /usr/bin/python3 - <<'P'
import numpy as np
rng = np.random.default_rng(7)
a = rng.random((700, 700)); b = rng.random((700, 700))
print("%.6f" % np.trace(a @ b))
x = rng.random(4_000_000)
index = rng.permutation(len(x))
for _ in range(6):
    print("%.6f" % x[index].sum(), "%.6f" % np.sort(x)[1234])
print("%.6f" % abs(np.fft.fft(x[: 1 << 21])).max())
P
