#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Make configure from a source checkout. Needs autoconf, automake, libtool and pkg-config.
cd "$(dirname "$0")" && mkdir -p build-aux && exec autoreconf --install --warnings=all
