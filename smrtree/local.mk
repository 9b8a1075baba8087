# smrtree
