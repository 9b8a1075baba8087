/* SPDX-License-Identifier: BSD-3-Clause */
/* After kn_access.inc.h and what walks over rows with it: its macros and its includer's are undefined. */
#undef KN_HELD
#undef KN_CAT
#undef KN_CAT_
#undef KN_ALONE
#undef KN_UNROLLED
#undef KN_ALWAYS
#undef KN_E
#undef KN_I
#undef KN_NAME
