# packages: gfortran
exec $DATA/fortran-stencil
