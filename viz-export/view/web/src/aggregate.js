// SPDX-License-Identifier: BSD-3-Clause
// Sums over the tiles that a selection leaves. A view of a dimension applies all filters but its own, so that
// everything else can still be seen and selected there. As in the report, the time of lines, threads and
// slices is counted where bursts began, unless accesses are chosen: by data, kind, latency or place.
import { ACCESS_STORE, ACCESS_UNMEASURED, LEVELS } from './model.js';
import { DIMENSIONS } from './selection.js';

const FIELDS = ['samples', 'timeNs', 'stallNs', 'latency', 'measured', 'loads', 'stores'];

/** Sums of tiles for a given number of rows. */
export class Sums {
    constructor(len) {
        for (const field of FIELDS) this[field] = new Float64Array(len);
        this.levels = Array.from({ length: LEVELS }, () => new Float64Array(len));
    }

    add(at, tile, i) {
        const samples = tile.samples[i];
        const access = tile.access[i];
        this.samples[at] += samples;
        this.timeNs[at] += tile.timeNs[i];
        this.stallNs[at] += tile.stallNs[i];
        if (access <= ACCESS_UNMEASURED) this.loads[at] += samples;
        if (access === ACCESS_STORE) this.stores[at] += samples;
        if (access < ACCESS_UNMEASURED) {
            this.measured[at] += samples;
            this.latency[at] += tile.latency[i];
        }
        if (access < LEVELS) this.levels[access][at] += samples;
    }

    addTo(to, from, source = this) {
        for (const field of FIELDS) this[field][to] += source[field][from];
        this.levels.forEach((level, l) => (level[to] += source.levels[l][from]));
    }

    /** One row as an object; without a timed load its stall is not known. */
    row(at) {
        const row = { levels: this.levels.map((level) => level[at]) };
        for (const field of FIELDS) row[field] = this[field][at];
        if (!row.measured) row.stallNs = NaN;
        return row;
    }

    /** Are there samples or time? */
    has(at) {
        return this.samples[at] > 0 || this.timeNs[at] > 0;
    }
}

/** Parents come before children. */
function rollUp(sums, parent) {
    for (let n = parent.length - 1; n > 0; n--) if (parent[n] !== null) sums.addTo(parent[n], n);
}

const ORIGINS = ['line', 'thread', 'slice'];

/** Replace the time of accesses by the time of bursts that began there. */
function countOrigins({ origin }, masks, result) {
    const sums = ORIGINS.map((dimension) => result[dimension]);
    for (const s of [...sums, result.total]) s.timeNs.fill(0);
    for (let i = 0; i < origin.len; i++) {
        const passes = ORIGINS.map((dimension) => masks[dimension][origin[dimension][i]]);
        const failed = passes.filter((pass) => !pass).length;
        if (failed === 0) result.total.timeNs[0] += origin.timeNs[i];
        ORIGINS.forEach((dimension, d) => {
            if (failed === 0 || (failed === 1 && !passes[d]))
                sums[d].timeNs[origin[dimension][i]] += origin.timeNs[i];
        });
    }
    for (const s of [...sums, result.total])
        s.timeNs.forEach((timeNs, at) => (s.stallNs[at] = Math.min(s.stallNs[at], timeNs)));
}

/** {total: row, node, line, thread, access, bin, slice: Sums, binByAccess: samples} */
export function aggregate(model, selection) {
    const { tile } = model;
    const { masks } = selection;
    const result = { total: new Sums(1), binByAccess: new Float64Array(model.dims.bin * model.dims.access) };
    DIMENSIONS.forEach((dimension) => (result[dimension] = new Sums(model.dims[dimension])));
    const columns = DIMENSIONS.map((dimension) => tile[dimension]);
    const passes = DIMENSIONS.map((dimension) => masks[dimension]);
    const sums = DIMENSIONS.map((dimension) => result[dimension]);
    const binAt = DIMENSIONS.indexOf('bin');
    const passesPlace = masks.place; // only the map shows places, and it computes its own sums
    for (let i = 0; i < tile.len; i++) {
        let failed = -1; // the only dimension whose filter excludes the tile
        let failures = 0;
        if (!passesPlace[tile.place[i]]) continue;
        for (let d = 0; d < columns.length && failures < 2; d++)
            if (!passes[d][columns[d][i]]) {
                failed = d;
                failures++;
            }
        if (failures > 1) continue;
        if (failures === 0) {
            result.total.add(0, tile, i);
            for (let d = 0; d < columns.length; d++) sums[d].add(columns[d][i], tile, i);
        } else {
            sums[failed].add(columns[failed][i], tile, i);
        }
        if (failures === 0 || failed === binAt)
            result.binByAccess[tile.bin[i] * model.dims.access + tile.access[i]] += tile.samples[i];
    }
    rollUp(result.node, model.nodes.parent);
    if (!selection.choosesAccesses()) countOrigins(model, masks, result);
    if (model.whole.stallNs === null)
        for (const dimension of ['total', ...DIMENSIONS]) result[dimension].stallNs.fill(NaN);
    result.total = result.total.row(0);
    return result;
}
