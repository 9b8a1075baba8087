# SPDX-License-Identifier: BSD-3-Clause
# scripts: for people with a source tree
EXTRA_DIST += scripts/demo scripts/deps scripts/check .ci/run autogen.sh
