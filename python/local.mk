# SPDX-License-Identifier: BSD-3-Clause
# python: the module for names of memory in Python programs
EXTRA_DIST += python/loadstone.py
if INSTALL_PYTHON
python_DATA = python/loadstone.py
endif
