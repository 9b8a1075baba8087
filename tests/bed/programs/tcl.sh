# packages: tcl
exec tclsh $DATA/work.tcl
