/* SPDX-License-Identifier: BSD-3-Clause */
/* Included after kn_access.inc.h and the loops that use it: undefines its macros and its includer's. */
#undef KN_HELD
#undef KN_CAT
#undef KN_CAT_
#undef KN_ALONE
#undef KN_COUNTED
#undef KN_EACH
#undef KN_UNROLLED
#undef KN_ALWAYS
#undef KN_E
#undef KN_I
#undef KN_NAME
