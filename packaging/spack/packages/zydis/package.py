# SPDX-License-Identifier: BSD-3-Clause
"""Recipe of Spack for the decoder of x86 instructions that Loadstone's engines use; Spack itself has none."""
from spack.package import *


class Zydis(CMakePackage):
    """Decoder of x86 and x86-64 instructions."""

    homepage = "https://zydis.re"
    git = "https://github.com/zyantific/zydis.git"
    license("MIT")
    version("4.1.0", tag="v4.1.0", submodules=True)
    version("4.0.0", tag="v4.0.0", submodules=True)

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.15:", type="build")

    def cmake_args(self):
        return [
            self.define("ZYDIS_BUILD_SHARED_LIB", True),
            self.define("ZYDIS_BUILD_EXAMPLES", False),
            self.define("ZYDIS_BUILD_TOOLS", False),
        ]
