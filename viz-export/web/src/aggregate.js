// SPDX-License-Identifier: BSD-3-Clause
// Sums over the tiles that a selection leaves. A view of a dimension shows what all filters but its own leave,
// so that what was not selected there can still be seen and selected.
import { ACCESS_STORE, ACCESS_UNMEASURED, LEVELS } from './model.js';
import { DIMENSIONS } from './selection.js';

const FIELDS = ['samples', 'timeNs', 'stallNs', 'latency', 'measured', 'loads', 'stores'];

/** Sums of tiles, so many rows of them. */
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

    /** One row as an object. */
    row(at) {
        const row = { levels: this.levels.map((level) => level[at]) };
        for (const field of FIELDS) row[field] = this[field][at];
        return row;
    }
}

/** Parents come before children. */
function rollUp(sums, parent) {
    for (let n = parent.length - 1; n > 0; n--) if (parent[n] !== null) sums.addTo(parent[n], n);
}

/** {total: row, node, line, thread, access, bin, slice: Sums, binByAccess: samples} */
export function aggregate(model, masks) {
    const { tile } = model;
    const result = { total: new Sums(1), binByAccess: new Float64Array(model.dims.bin * model.dims.access) };
    DIMENSIONS.forEach((dimension) => (result[dimension] = new Sums(model.dims[dimension])));
    const columns = DIMENSIONS.map((dimension) => tile[dimension]);
    const passes = DIMENSIONS.map((dimension) => masks[dimension]);
    const sums = DIMENSIONS.map((dimension) => result[dimension]);
    const binAt = DIMENSIONS.indexOf('bin');
    const passesPlace = masks.place; // no view but the map is of places, and that one sums for itself
    for (let i = 0; i < tile.len; i++) {
        let failed = -1; // the one dimension that keeps the tile out
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
    result.total = result.total.row(0);
    return result;
}
