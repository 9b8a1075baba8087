# SPDX-License-Identifier: BSD-3-Clause
# packaging: files to build on Loadstone or to package it: CMake, Spack, and debian/ for dpkg-buildpackage
cmakedir = $(libdir)/cmake/loadstone
nodist_cmake_DATA = packaging/cmake/loadstone-config.cmake packaging/cmake/loadstone-config-version.cmake
EXTRA_DIST += packaging/cmake/loadstone-config.cmake.in packaging/cmake/loadstone-config-version.cmake.in \
    packaging/spack/repo.yaml packaging/spack/packages/loadstone/package.py packaging/spack/packages/zydis/package.py packaging/loader.sh \
    debian/changelog debian/control debian/copyright debian/rules debian/source/format debian/not-installed \
    debian/loadstone.install debian/libloadstone0.install debian/libloadstone-dev.install debian/python3-loadstone.install
CLEANFILES += $(nodist_cmake_DATA)
$(nodist_cmake_DATA): Makefile
	$(AM_V_GEN)$(MKDIR_P) packaging/cmake && \
	    sed 's,[@]libdir@,$(libdir),g; s,[@]includedir@,$(includedir),g; s,[@]VERSION@,$(PACKAGE_VERSION),g' $(srcdir)/$@.in > $@.tmp && mv $@.tmp $@
packaging/cmake/loadstone-config.cmake: packaging/cmake/loadstone-config.cmake.in
packaging/cmake/loadstone-config-version.cmake: packaging/cmake/loadstone-config-version.cmake.in

# The last words of make install; packagers install into DESTDIR and call ldconfig themselves.
install-exec-hook:
	@test -n '$(DESTDIR)' || $(SHELL) $(srcdir)/packaging/loader.sh '$(libdir)'
