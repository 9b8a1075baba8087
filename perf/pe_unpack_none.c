/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf/pe_file.h"

ls_err pe_unpack_new(pe_unpack **out)
{
    (void)out;
    return ls_fail(LS_ERR_UNSUPPORTED, "the records are compressed and this Loadstone was built without "
                                       "libzstd; `perf inject -i FILE -o PLAIN` "
                                       "where perf is unpacks them");
}

void pe_unpack_free(pe_unpack *u)
{
    (void)u;
}

ls_err pe_unpack_more(pe_unpack *u, const void *bytes, size_t len_bytes, struct pe_unpacked *out)
{
    (void)u, (void)bytes, (void)len_bytes, (void)out;
    return LS_ERR_UNSUPPORTED;
}
