/* SPDX-License-Identifier: BSD-3-Clause */
/* In place of pat_json.c where yajl is missing. */
#include "patterns/pat_json.h"

ls_err pat_json_read(pat_input *in, const struct pat_json_options *o, struct pat_suite *s)
{
    (void)o, (void)s;
    return ls_fail(LS_ERR_UNSUPPORTED,
                   "%s cannot be read: this loadstone was built without yajl (libyajl-dev)",
                   pat_input_name(in));
}

ls_err pat_json_read_file(const char *path, const struct pat_json_options *o, struct pat_suite *s)
{
    pat_input *in = NULL;
    LS_TRY(pat_input_open(path, &in));
    const ls_err err = pat_json_read(in, o, s);
    pat_input_free(in);
    return err;
}
