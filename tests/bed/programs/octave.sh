# SPDX-License-Identifier: BSD-3-Clause
# packages: octave
exec octave-cli --no-init-file --eval '
rand("twister", 7); a = rand(600); b = a; for i = 1:4, b = b * a / norm(b, 1); end, printf("%.5f\n", trace(b));
s = sprand(20000, 20000, 1e-4) * 0 + speye(20000); x = ones(20000, 1); for i = 1:200, x = s * x; end, printf("%d\n", sum(x));
v = rand(1, 2e6); printf("%.5f\n", sort(v)(1000)); n = 0; for i = 1:300000, n += mod(i * 7, 13); end, printf("%d\n", n);'
