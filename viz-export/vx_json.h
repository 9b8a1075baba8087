/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON without blanks, for the data of a page. Texts are untrusted: whatever bytes they hold, the output is
 * valid UTF-8 and no < > or & stands in it, so that HTML cannot read it as anything but text.
 *
 * Where nothing else is said: Thread: one at a time for one object.  Signal: not safe. */
#ifndef VX_JSON_H
#define VX_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct vx_json {
    FILE *out;
    bool filled; /* the open object or array has a member */
};

/* key is NULL inside arrays and for the outermost value. */
void vx_json_open(struct vx_json *j, const char *key, char bracket);
void vx_json_close(struct vx_json *j, char bracket);
void vx_json_text(struct vx_json *j, const char *key, const char *text);
/* Numbers that JSON cannot say become null. */
void vx_json_number(struct vx_json *j, const char *key, double number);

#endif
