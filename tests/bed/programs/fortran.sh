# SPDX-License-Identifier: BSD-3-Clause
# packages: gfortran
exec $DATA/fortran-stencil
