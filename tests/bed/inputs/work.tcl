# SPDX-License-Identifier: BSD-3-Clause
proc work {} {
    set x 12345
    for {set i 0} {$i < 1500000} {incr i} {
        set x [expr {($x * 1103515245 + 12345) % 2147483648}]
        incr count([expr {$x % 100003}])
    }
    set keys [lsort -integer [array names count]]
    puts "[llength $keys] [lindex $keys 1000] $count([lindex $keys 7])"
}
work
