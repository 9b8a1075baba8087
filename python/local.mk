# SPDX-License-Identifier: BSD-3-Clause
# python: the module by which Python programs name their memory
EXTRA_DIST += python/loadstone.py
if INSTALL_PYTHON
python_DATA = python/loadstone.py
endif
