# SPDX-License-Identifier: BSD-3-Clause
"""Recipe of Spack for a tarball that `make dist` made, in the current folder:

    spack repo add SOURCE_TREE/packaging/spack
    spack install --no-checksum loadstone
"""
import os

from spack.package import *


class Loadstone(AutotoolsPackage):
    """Semantic memory profiler: which data of a program waits for memory, without hardware counters."""

    manual_download = True
    url = f"file://{os.getcwd()}/loadstone-0.1.0.tar.xz"
    license("BSD-3-Clause")
    version("0.1.0")

    variant("fortran", default=True, description="Build the Fortran module")
    variant("mpi", default=False, description="Run replay, stream and study as ranks of MPI")
    variant("plots", default=True, description="Draw charts as PNG and SVG")
    variant("trace", default=True, description="Exact traces under QEMU's user mode (loadstone trace, loadstone gate)")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("pkgconfig", type="build")
    depends_on("gmake", type="build")

    depends_on("hdf5@1.10:~mpi")
    depends_on("hwloc@2.1:")
    depends_on("elfutils")
    depends_on("zlib-api")
    depends_on("zydis", when="target=x86_64:")
    depends_on("libpfm4")
    depends_on("zstd")
    depends_on("libarchive")
    depends_on("libunwind")
    depends_on("yajl")
    depends_on("cairo+png+svg", when="+plots")
    depends_on("mpi", when="+mpi")
    depends_on("qemu", type="run", when="+trace")

    conflicts("platform=darwin", msg="Loadstone needs Linux")

    def configure_args(self):
        args = []
        if self.spec.satisfies("+mpi"):  # each is tried as both kinds, and one of them fits
            wrapper = self.spec["mpi"].mpicc
            args += [f"OPENMPI_CC={wrapper}", f"MPICH_CC={wrapper}"]
        if not self.spec.satisfies("+fortran"):
            args.append("FC=no")
        return args
