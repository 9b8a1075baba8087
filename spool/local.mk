# spool
