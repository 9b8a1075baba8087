# packages: brotli
exec bash -c 'brotli -q 10 -c $DATA/big | cksum'
