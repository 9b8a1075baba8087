# SPDX-License-Identifier: BSD-3-Clause
# packages: openssl
exec bash -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do openssl enc -aes-256-cbc -pbkdf2 -iter 300000 -S 0102030405060708 -k secret -in $DATA/big | openssl dgst -sha512; done'
