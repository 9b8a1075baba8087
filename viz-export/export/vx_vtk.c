/* SPDX-License-Identifier: BSD-3-Clause */
#include "viz-export/export/vx_vtk.h"

#include "viz-export/vx_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { VX_BLOCK_BYTES = 1 << 20 };

ls_err vx_vtk_init(struct vx_vtk *v, const char *type)
{
    *v = (struct vx_vtk){.type = type};
    v->packed = malloc(compressBound(VX_BLOCK_BYTES));
    v->xml = tmpfile();
    if (!v->packed) return ls_nomem("a VTK file");
    if (!v->xml) return ls_fail_errno(errno, "no temporary file; set TMPDIR to a directory with room");
    return LS_OK;
}

void vx_vtk_fini(struct vx_vtk *v)
{
    if (v->xml) fclose(v->xml);
    free(v->packed);
    *v = (struct vx_vtk){0};
}

static ls_err vx_data_fail(void)
{
    return ls_fail(LS_ERR_IO, "a temporary file could not be written: is the disk of TMPDIR full?");
}

/* Append one block; its packed length goes into *out_bytes. */
static ls_err vx_put_block(struct vx_vtk *v, struct vx_base64 *to, const unsigned char *bytes, size_t len,
                           uint64_t *out_bytes)
{
    uLongf packed = compressBound(VX_BLOCK_BYTES);
    if (compress2(v->packed, &packed, bytes, len, Z_DEFAULT_COMPRESSION) != Z_OK)
        return ls_fail(LS_ERR_NOMEM, "zlib has no memory to compress");
    *out_bytes = packed;
    vx_base64_put(to, v->packed, packed);
    return ferror(v->xml) ? vx_data_fail() : LS_OK;
}

/* The header of compressed data, all UInt64: number of blocks, bytes of a block, bytes of the last one when
 * it is not full (else 0), packed bytes of each. It is known only after the blocks, so its room is kept
 * first. Header and blocks are a text each. */
static ls_err vx_put_blocks(struct vx_vtk *v, const unsigned char *bytes, uint64_t len)
{
    const uint64_t blocks = (len + VX_BLOCK_BYTES - 1) / VX_BLOCK_BYTES;
    const size_t header_bytes = (3 + blocks) * sizeof(uint64_t);
    const off_t begin = ftello(v->xml);
    uint64_t *header = calloc(1, header_bytes);
    struct vx_base64 to = {.out = v->xml};
    if (!header) return ls_nomem("%" PRIu64 " blocks", blocks);
    header[0] = blocks;
    header[1] = VX_BLOCK_BYTES;
    header[2] = len % VX_BLOCK_BYTES;
    vx_base64_put(&to, header, header_bytes);
    vx_base64_end(&to);
    ls_err err = begin < 0 ? vx_data_fail() : LS_OK;
    for (uint64_t b = 0; err == LS_OK && b < blocks; b++) {
        const uint64_t at = b * VX_BLOCK_BYTES;
        const size_t wanted = len - at < VX_BLOCK_BYTES ? (size_t)(len - at) : VX_BLOCK_BYTES;
        err = vx_put_block(v, &to, bytes + at, wanted, &header[3 + b]);
    }
    vx_base64_end(&to);
    if (err == LS_OK && fseeko(v->xml, begin, SEEK_SET) != 0) err = vx_data_fail();
    vx_base64_put(&to, header, header_bytes);
    vx_base64_end(&to);
    if (err == LS_OK && (fseeko(v->xml, 0, SEEK_END) != 0 || ferror(v->xml))) err = vx_data_fail();
    free(header);
    return err;
}

ls_err vx_vtk_put(struct vx_vtk *v, const struct vx_vtk_array *a)
{
    fprintf(v->xml, "<DataArray type=\"%s\" Name=\"", a->type);
    vx_put_xml(v->xml, a->name);
    fprintf(v->xml, "\" NumberOfComponents=\"%u\" NumberOfTuples=\"%" PRIu64 "\" format=\"binary\">\n",
            a->components, a->tuples);
    LS_TRY(vx_put_blocks(v, a->values, a->tuples * a->components * a->value_bytes));
    if (a->unit && *a->unit) { /* after the data, since VTK expects the data directly after the tag */
        fputs("\n<InformationKey name=\"UNITS_LABEL\" location=\"vtkDataArray\">", v->xml);
        vx_put_xml(v->xml, a->unit);
        fputs("</InformationKey>", v->xml);
    }
    fputs("\n</DataArray>\n", v->xml);
    return LS_OK;
}

static ls_err vx_put_centering(struct vx_vtk *v, const struct vx_array *arrays, size_t len,
                               enum ndm_centering centering)
{
    const char *element = centering == NDM_CELLS ? "CellData" : "PointData";
    size_t shown = len; /* the array that is shown when the file is opened */
    for (size_t i = 0; i < len; i++)
        if (arrays[i].field->centering == centering &&
            (shown == len ||
             (arrays[shown].metric != NDM_LATENCY_MEAN && arrays[i].metric == NDM_LATENCY_MEAN)))
            shown = i;
    fprintf(v->xml, "<%s", element);
    if (shown < len) {
        fputs(" Scalars=\"", v->xml);
        vx_put_xml(v->xml, arrays[shown].name);
        fputs("\"", v->xml);
    }
    fputs(">\n", v->xml);
    for (size_t i = 0; i < len; i++) {
        if (arrays[i].field->centering != centering) continue;
        const struct vx_vtk_array a = {.name = arrays[i].name,
                                       .type = "Float64",
                                       .unit = ndm_metric(arrays[i].metric)->unit,
                                       .components = 1,
                                       .tuples = arrays[i].len,
                                       .values = arrays[i].values,
                                       .value_bytes = sizeof(double)};
        LS_TRY(vx_vtk_put(v, &a));
    }
    fprintf(v->xml, "</%s>\n", element);
    return LS_OK;
}

ls_err vx_vtk_put_fields(struct vx_vtk *v, const struct vx_source *s, uint32_t step)
{
    struct vx_array *arrays = NULL;
    size_t len = 0;
    LS_TRY(vx_arrays_of(s->selection, step, &arrays, &len));
    ls_err err = vx_put_centering(v, arrays, len, NDM_POINTS);
    if (err == LS_OK) err = vx_put_centering(v, arrays, len, NDM_CELLS);
    vx_arrays_free(arrays, len);
    return err;
}

/* Strings are numbers, with a terminating 0 after each. */
static void vx_put_string(struct vx_vtk *v, const char *name, const char *text)
{
    fprintf(v->xml, "<Array type=\"String\" Name=\"%s\" NumberOfTuples=\"1\" format=\"ascii\">\n", name);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        fprintf(v->xml, "%u ", *c);
    fputs("0\n</Array>\n", v->xml);
}

void vx_vtk_put_facts(struct vx_vtk *v, const struct vx_source *s, uint32_t step)
{
    const struct vx_selection *chosen = s->selection;
    const bool whole = step == VX_WHOLE_RUN;
    const double time_s = whole ? 0 : vx_step_begin_s(chosen, step);
    fputs("<FieldData>\n", v->xml);
    for (int i = 0; i < 2; i++)
        fprintf(v->xml,
                "<DataArray type=\"Float64\" Name=\"%s\" NumberOfTuples=\"1\" "
                "format=\"ascii\">%.17g</DataArray>\n",
                i ? "TIME" : "TimeValue", time_s);
    fprintf(v->xml,
            "<DataArray type=\"Int32\" Name=\"CYCLE\" NumberOfTuples=\"1\" format=\"ascii\">%u</DataArray>\n",
            whole ? 0 : step);
    vx_put_string(v, "MeshName", chosen->geometry->label);
    vx_put_string(v, "CoordinateUnit", chosen->geometry->unit);
    if (!whole) vx_put_string(v, "StepLabel", vx_step_label(chosen, step));
    if (s->run) {
        vx_put_string(v, "Command", s->run->command);
        vx_put_string(v, "Engine", s->run->engine);
    }
    fputs("</FieldData>\n", v->xml);
}

static ls_err vx_copy(FILE *from, FILE *to)
{
    char buffer[65536];
    size_t n;
    rewind(from);
    while ((n = fread(buffer, 1, sizeof(buffer), from)) > 0)
        if (fwrite(buffer, 1, n, to) != n) break;
    return ferror(from) || ferror(to) ? vx_data_fail() : LS_OK;
}

ls_err vx_vtk_finish(struct vx_vtk *v, FILE *out)
{
    fprintf(out,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"LittleEndian\" "
            "header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\">\n",
            v->type);
    LS_TRY(vx_copy(v->xml, out));
    fputs("</VTKFile>\n", out);
    return ferror(out) ? ls_fail(LS_ERR_IO, "the output could not be written: is the disk full?") : LS_OK;
}

ls_err vx_needs_grid(const struct vx_source *s, const char *format)
{
    const struct ndm_geometry *g = s->selection->geometry;
    if (g->kind != NDM_GRID)
        return ls_fail(
            LS_ERR_USAGE,
            "%s holds regular grids; domain %s is an unstructured mesh: export it as vtu, vtkhdf or xdmf",
            format, g->label);
    for (uint32_t d = 0; d < g->dims; d++)
        if (g->extents[d] >= INT32_MAX)
            return ls_fail(LS_ERR_RANGE, "%s cannot hold the %" PRIu64 " cells along axis %s of domain %s",
                           format, g->extents[d], g->axes[d], g->label);
    return LS_OK;
}

ls_err vx_needs_mesh(const struct vx_source *s, const char *format)
{
    const struct ndm_geometry *g = s->selection->geometry;
    if (g->kind == NDM_MESH) return LS_OK;
    return ls_fail(
        LS_ERR_USAGE,
        "%s holds unstructured meshes; domain %s is a regular grid: export it as vti, vtr, vtkhdf or xdmf",
        format, g->label);
}
