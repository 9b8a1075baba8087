# SPDX-License-Identifier: BSD-3-Clause
# packages: tcl
exec tclsh $DATA/work.tcl
