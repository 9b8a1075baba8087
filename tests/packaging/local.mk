# SPDX-License-Identifier: BSD-3-Clause
# tests/packaging: the installed files, and how others find them

# Packages of Debian, built and installed into a bare system: several minutes.
.PHONY: check-packages
check-packages: all
	$(run_script) $(srcdir)/tests/packaging/check_packages.sh; $(skip_is_success)
check-long: check-packages
