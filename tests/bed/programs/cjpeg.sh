# SPDX-License-Identifier: BSD-3-Clause
# packages: libjpeg-turbo-progs
exec bash -c 'for q in $(seq 30 95); do cjpeg -quality $q -optimize -progressive $DATA/picture.ppm | djpeg | cksum; done'
