# SPDX-License-Identifier: BSD-3-Clause
# packages: sbcl
exec sbcl --noinform --no-userinit --non-interactive --eval '(let ((h (make-hash-table)) (x 12345)) (dotimes (i 12000000) (setf x (mod (+ (* x 1103515245) 12345) 2147483648)) (incf (gethash (mod x 200003) h 0)))
(print (hash-table-count h)) (print (length (sort (loop for k being the hash-keys of h collect k) (function <)))))'
