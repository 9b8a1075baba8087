/* SPDX-License-Identifier: BSD-3-Clause */
/* The grammar is that of RFC 2603; functions have the names of its symbols. */
#include "symbols/sym_demangle_rust.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { RUST_DEPTH_MAX = 100 };

struct rust_name {
    const char *text; /* after _R */
    size_t at, len;
    char *out;
    size_t used, room; /* room without the NUL */
    int depth;
    bool is_quiet; /* a part is read, not printed */
    bool is_bad;
};

struct rust_identifier {
    const char *text;
    size_t len;
    uint64_t number; /* its disambiguator: 0 is the first of its name */
    bool is_punycode;
};

static void rust_path(struct rust_name *n, bool is_value);
static void rust_type(struct rust_name *n);

/* --- input and output --- */

static char rust_peek(const struct rust_name *n)
{
    return n->at < n->len && !n->is_bad ? n->text[n->at] : '\0';
}

static char rust_take(struct rust_name *n)
{
    const char c = rust_peek(n);
    if (c == '\0')
        n->is_bad = true;
    else
        n->at++;
    return c;
}

static bool rust_take_if(struct rust_name *n, char wanted)
{
    if (rust_peek(n) != wanted) return false;
    n->at++;
    return true;
}

static void rust_put_bytes(struct rust_name *n, const char *text, size_t len)
{
    if (n->is_quiet || n->is_bad) return;
    if (len > n->room - n->used) {
        n->is_bad = true;
        return;
    }
    memcpy(n->out + n->used, text, len);
    n->used += len;
}

static void rust_put(struct rust_name *n, const char *text)
{
    rust_put_bytes(n, text, strlen(text));
}

static void rust_put_number(struct rust_name *n, uint64_t number)
{
    char digits[24];
    snprintf(digits, sizeof(digits), "%" PRIu64, number);
    rust_put(n, digits);
}

/* Damaged names must end soon: a name of few letters may refer to itself again and again. */
static bool rust_enter(struct rust_name *n)
{
    if (++n->depth > RUST_DEPTH_MAX) n->is_bad = true;
    return !n->is_bad;
}

/* --- numbers and identifiers --- */

/* "_" is 0, "0_" is 1. */
static uint64_t rust_base_62(struct rust_name *n)
{
    uint64_t number = 0;
    if (rust_take_if(n, '_')) return 0;
    for (;;) {
        const char c = rust_take(n);
        if (c == '_') return number + 1;
        const int digit = isdigit((unsigned char)c)   ? c - '0'
                          : islower((unsigned char)c) ? c - 'a' + 10
                          : isupper((unsigned char)c) ? c - 'A' + 36
                                                      : -1;
        if (digit < 0 || number > (UINT64_MAX - 62) / 62) {
            n->is_bad = true;
            return 0;
        }
        number = number * 62 + (uint64_t)digit;
    }
}

/* A number with a tag; 0 where it is missing, else its value plus 1. */
static uint64_t rust_tagged(struct rust_name *n, char tag)
{
    return rust_take_if(n, tag) ? rust_base_62(n) + 1 : 0;
}

static struct rust_identifier rust_plain_identifier(struct rust_name *n)
{
    struct rust_identifier id = {.is_punycode = rust_take_if(n, 'u')};
    if (!isdigit((unsigned char)rust_peek(n))) n->is_bad = true;
    while (isdigit((unsigned char)rust_peek(n)) && id.len < n->len) {
        id.len = id.len * 10 + (size_t)(rust_take(n) - '0');
        if (id.len == 0) break;
    }
    rust_take_if(n, '_');
    if (n->is_bad || id.len > n->len - n->at) {
        n->is_bad = true;
        return (struct rust_identifier){.text = ""};
    }
    id.text = n->text + n->at;
    n->at += id.len;
    return id;
}

static struct rust_identifier rust_identifier(struct rust_name *n)
{
    const uint64_t number = rust_tagged(n, 's');
    struct rust_identifier id = rust_plain_identifier(n);
    id.number = number;
    return id;
}

static void rust_put_identifier(struct rust_name *n, const struct rust_identifier *id)
{
    if (id->is_punycode) rust_put(n, "punycode{");
    rust_put_bytes(n, id->text, id->len);
    if (id->is_punycode) rust_put(n, "}");
}

/* Print the part of the name that begins at an earlier place. */
static void rust_backref(struct rust_name *n, void (*part)(struct rust_name *))
{
    const size_t here = n->at - 1;
    const uint64_t to = rust_base_62(n);
    const size_t after = n->at;
    if (n->is_bad || to >= here) {
        n->is_bad = true;
        return;
    }
    if (n->is_quiet) return;
    n->at = (size_t)to;
    part(n);
    n->at = after;
}

/* --- constants --- */

static void rust_const(struct rust_name *n);

static void rust_const_data(struct rust_name *n, char type)
{
    uint64_t number = 0;
    const bool is_negative = rust_take_if(n, 'n');
    size_t digits = 0;
    while (!n->is_bad && !rust_take_if(n, '_')) {
        const char c = rust_take(n);
        if (!isxdigit((unsigned char)c) || isupper((unsigned char)c)) n->is_bad = true;
        number = number << 4 | (uint64_t)(isdigit((unsigned char)c) ? c - '0' : c - 'a' + 10);
        digits++;
    }
    if (is_negative) rust_put(n, "-");
    if (type == 'b')
        rust_put(n, number ? "true" : "false");
    else if (digits > 16)
        rust_put(n, "0x...");
    else
        rust_put_number(n, number);
}

static void rust_const(struct rust_name *n)
{
    if (!rust_enter(n)) return;
    const char type = rust_take(n);
    if (type == 'B')
        rust_backref(n, rust_const);
    else if (type == 'p')
        rust_put(n, "_");
    else if (islower((unsigned char)type))
        rust_const_data(n, type);
    else
        n->is_bad = true; /* constants of other types are not in use */
    n->depth--;
}

/* --- paths --- */

static void rust_generic_arg(struct rust_name *n)
{
    if (rust_take_if(n, 'L')) {
        rust_base_62(n);
        rust_put(n, "'_");
    } else if (rust_take_if(n, 'K')) {
        rust_const(n);
    } else {
        rust_type(n);
    }
}

/* Print items up to the letter that ends them. Returns their number. */
static size_t rust_list(struct rust_name *n, void (*item)(struct rust_name *))
{
    size_t len = 0;
    for (; !n->is_bad && !rust_take_if(n, 'E'); len++) {
        if (len > 0) rust_put(n, ", ");
        item(n);
    }
    return len;
}

/* Skip the place of an impl block: its type is enough. */
static void rust_impl_path(struct rust_name *n)
{
    const bool was_quiet = n->is_quiet;
    n->is_quiet = true;
    rust_tagged(n, 's');
    rust_path(n, false);
    n->is_quiet = was_quiet;
}

static void rust_nested(struct rust_name *n, bool is_value)
{
    const char space = rust_take(n);
    rust_path(n, is_value);
    const struct rust_identifier id = rust_identifier(n);
    if (isupper((unsigned char)space)) { /* not written in the source */
        rust_put(n, space == 'C' ? "::{closure" : space == 'S' ? "::{shim" : "::{");
        if (space != 'C' && space != 'S') rust_put_bytes(n, &space, 1);
        if (id.len > 0) rust_put(n, ":");
        rust_put_identifier(n, &id);
        rust_put(n, "#");
        rust_put_number(n, id.number);
        rust_put(n, "}");
    } else if (id.len > 0) {
        rust_put(n, "::");
        rust_put_identifier(n, &id);
    }
}

static void rust_path_of_value(struct rust_name *n)
{
    rust_path(n, true);
}

static void rust_path_of_type(struct rust_name *n)
{
    rust_path(n, false);
}

static void rust_qualified(struct rust_name *n, bool has_trait)
{
    rust_put(n, "<");
    rust_type(n);
    if (has_trait) {
        rust_put(n, " as ");
        rust_path(n, false);
    }
    rust_put(n, ">");
}

static void rust_path(struct rust_name *n, bool is_value)
{
    if (!rust_enter(n)) return;
    switch (rust_take(n)) {
    case 'C': {
        const struct rust_identifier id = rust_identifier(n);
        rust_put_identifier(n, &id);
        break;
    }
    case 'M':
        rust_impl_path(n);
        rust_qualified(n, false);
        break;
    case 'X':
        rust_impl_path(n);
        rust_qualified(n, true);
        break;
    case 'Y':
        rust_qualified(n, true);
        break;
    case 'N':
        rust_nested(n, is_value);
        break;
    case 'I':
        rust_path(n, is_value);
        rust_put(n, is_value ? "::<" : "<");
        rust_list(n, rust_generic_arg);
        rust_put(n, ">");
        break;
    case 'B':
        rust_backref(n, is_value ? rust_path_of_value : rust_path_of_type);
        break;
    default:
        n->is_bad = true;
    }
    n->depth--;
}

/* --- types --- */

static const char *rust_basic_type(char letter)
{
    static const char *const names[26] = {
        ['a' - 'a'] = "i8",    ['b' - 'a'] = "bool", ['c' - 'a'] = "char", ['d' - 'a'] = "f64",
        ['e' - 'a'] = "str",   ['f' - 'a'] = "f32",  ['h' - 'a'] = "u8",   ['i' - 'a'] = "isize",
        ['j' - 'a'] = "usize", ['l' - 'a'] = "i32",  ['m' - 'a'] = "u32",  ['n' - 'a'] = "i128",
        ['o' - 'a'] = "u128",  ['p' - 'a'] = "_",    ['s' - 'a'] = "i16",  ['t' - 'a'] = "u16",
        ['u' - 'a'] = "()",    ['v' - 'a'] = "...",  ['x' - 'a'] = "i64",  ['y' - 'a'] = "u64",
        ['z' - 'a'] = "!",
    };
    return islower((unsigned char)letter) ? names[letter - 'a'] : NULL;
}

static void rust_reference(struct rust_name *n, const char *sign)
{
    rust_put(n, sign);
    if (rust_take_if(n, 'L')) rust_base_62(n);
    rust_type(n);
}

static void rust_function(struct rust_name *n)
{
    rust_tagged(n, 'G');
    if (rust_take_if(n, 'U')) rust_put(n, "unsafe ");
    if (rust_take_if(n, 'K')) {
        if (rust_take_if(n, 'C')) {
            rust_put(n, "extern \"C\" ");
        } else {
            const struct rust_identifier abi = rust_plain_identifier(n);
            rust_put(n, "extern \"");
            rust_put_identifier(n, &abi);
            rust_put(n, "\" ");
        }
    }
    rust_put(n, "fn(");
    rust_list(n, rust_type);
    rust_put(n, ")");
    if (rust_take_if(n, 'u')) return;
    rust_put(n, " -> ");
    rust_type(n);
}

/* A trait with its generic arguments, to which bindings like `Output = ()` are added. */
static void rust_dyn_trait(struct rust_name *n)
{
    size_t before = n->used;
    rust_path(n, false);
    bool is_open =
        n->used > before && !n->is_bad && !n->is_quiet && n->out[n->used - 1] == '>' && rust_peek(n) == 'p';
    if (is_open) n->used--;
    while (rust_take_if(n, 'p')) {
        rust_put(n, is_open ? ", " : "<");
        is_open = true;
        const struct rust_identifier id = rust_plain_identifier(n);
        rust_put_identifier(n, &id);
        rust_put(n, " = ");
        rust_type(n);
    }
    if (is_open) rust_put(n, ">");
}

static void rust_dyn(struct rust_name *n)
{
    rust_put(n, "dyn ");
    rust_tagged(n, 'G');
    for (size_t len = 0; !n->is_bad && !rust_take_if(n, 'E'); len++) {
        if (len > 0) rust_put(n, " + ");
        rust_dyn_trait(n);
    }
    if (rust_take(n) != 'L') n->is_bad = true;
    rust_base_62(n);
}

static void rust_array(struct rust_name *n, bool has_len)
{
    rust_put(n, "[");
    rust_type(n);
    if (has_len) {
        rust_put(n, "; ");
        rust_const(n);
    }
    rust_put(n, "]");
}

static void rust_tuple(struct rust_name *n)
{
    rust_put(n, "(");
    if (rust_list(n, rust_type) == 1) rust_put(n, ",");
    rust_put(n, ")");
}

static void rust_type_of(struct rust_name *n, char letter)
{
    const char *basic = rust_basic_type(letter);
    if (basic) {
        rust_put(n, basic);
        return;
    }
    switch (letter) {
    case 'A':
    case 'S':
        rust_array(n, letter == 'A');
        return;
    case 'T':
        rust_tuple(n);
        return;
    case 'R':
    case 'Q':
        rust_reference(n, letter == 'R' ? "&" : "&mut ");
        return;
    case 'P':
    case 'O':
        rust_put(n, letter == 'P' ? "*const " : "*mut ");
        rust_type(n);
        return;
    case 'F':
        rust_function(n);
        return;
    case 'D':
        rust_dyn(n);
        return;
    case 'B':
        rust_backref(n, rust_type);
        return;
    default:
        n->at--;
        rust_path(n, false);
    }
}

static void rust_type(struct rust_name *n)
{
    if (!rust_enter(n)) return;
    const char letter = rust_take(n);
    if (!n->is_bad) rust_type_of(n, letter);
    n->depth--;
}

bool sym_demangle_rust(const char *name, char *out, size_t out_bytes)
{
    if (strncmp(name, "_R", 2) != 0 || out_bytes == 0) return false;
    struct rust_name n = {
        .text = name + 2, .len = strcspn(name + 2, ".$"), .out = out, .room = out_bytes - 1};
    for (size_t i = 0; i < n.len; i++)
        if (!isalnum((unsigned char)n.text[i]) && n.text[i] != '_') return false;
    if (!isupper((unsigned char)rust_peek(&n))) return false; /* a later version of the scheme */
    rust_path(&n, true);
    if (!n.is_bad && n.at < n.len) { /* the crate that instantiated it */
        n.is_quiet = true;
        rust_path(&n, false);
    }
    if (n.is_bad || n.at < n.len || n.used == 0) return false;
    out[n.used] = '\0';
    return true;
}

/* --- legacy names --- */

/* Letters that a legacy name cannot have. */
static const struct rust_escape {
    const char *text;
    char letter;
} rust_escapes[] = {
    {"$LT$", '<'},  {"$GT$", '>'},  {"$RF$", '&'},  {"$BP$", '*'},  {"$LP$", '('},  {"$RP$", ')'},
    {"$C$", ','},   {"$SP$", '@'},  {"$u20$", ' '}, {"$u7b$", '{'}, {"$u7d$", '}'}, {"$u27$", '\''},
    {"$u5b$", '['}, {"$u5d$", ']'}, {"$u3b$", ';'}, {"$u2b$", '+'}, {"$u22$", '"'}, {"$u7e$", '~'},
};

/* The length of the escape that text begins with, 0: none. */
static size_t rust_escape_at(const char *text, char *out)
{
    for (size_t i = 0; i < sizeof(rust_escapes) / sizeof(rust_escapes[0]); i++) {
        const size_t len = strlen(rust_escapes[i].text);
        if (strncmp(text, rust_escapes[i].text, len) != 0) continue;
        *out = rust_escapes[i].letter;
        return len;
    }
    return 0;
}

void sym_tidy_rust(char *text)
{
    enum { HASH_BYTES = 19 }; /* ::h and 16 digits */
    const size_t len = strlen(text);
    char *to = text;
    if (len <= HASH_BYTES || memcmp(text + len - HASH_BYTES, "::h", 3) != 0) return;
    if (strspn(text + len - HASH_BYTES + 3, "0123456789abcdef") != HASH_BYTES - 3) return;
    text[len - HASH_BYTES] = '\0';
    for (const char *from = text; *from;) {
        const bool is_begin = to == text || to[-1] == ':';
        const size_t escape = rust_escape_at(from, to);
        if (is_begin && from[0] == '_' && from[1] == '$') {
            from++;
        } else if (escape > 0) {
            from += escape;
            to++;
        } else if (from[0] == '.' && from[1] == '.') {
            *to++ = ':';
            *to++ = ':';
            from += 2;
        } else {
            *to++ = *from++;
        }
    }
    *to = '\0';
}
