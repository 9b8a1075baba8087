# SPDX-License-Identifier: BSD-3-Clause
# packages: guile-3.0
export GUILE_AUTO_COMPILE=0
exec guile -c '(define t (make-hash-table)) (let loop ((i 0) (x 12345)) (if (< i 1500000) (begin (hashv-set! t (modulo x 100003) i) (loop (+ i 1) (modulo (+ (* x 1103515245) 12345) 2147483648)))))
(display (hash-count (const #t) t)) (newline) (display (apply + (map (lambda (i) (modulo (* i i) 97)) (iota 1000000)))) (newline)'
