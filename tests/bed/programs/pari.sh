# SPDX-License-Identifier: BSD-3-Clause
# packages: pari-gp
exec bash -c 'echo "print(#factor(2^191-19)); print(sum(i=1,3000000,isprime(i))); print(norml2(qflll(matrix(150,150,i,j,(i*j*7919)%10007+(i==j)))) > 0)" | gp -q -f'
