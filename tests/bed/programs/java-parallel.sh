# SPDX-License-Identifier: BSD-3-Clause
# packages: openjdk-17-jdk-headless
exec java -Xmx512m -cp $DATA Work
