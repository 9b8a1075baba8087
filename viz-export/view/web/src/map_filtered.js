// SPDX-License-Identifier: BSD-3-Clause
// A field as all filters leave it: sums of the tiles by place. Tiles count places of the field's base, the field of
// all data on the same domain.
import { Sums } from './aggregate.js';
import { coarsen, detailsOf, fittingDetail } from './map_detail.js';

const COORDINATES = ['node', 'line', 'thread', 'access', 'bin', 'slice'];
const LATENCY_MAX = 4; // in the order of ndm/ndm_field.h

const levelShare = (level) => (sums, i) =>
    sums.levels[level][i] / sums.levels.reduce((sum, served) => sum + served[i], 0);

const VALUES = [
    (sums, i) => sums.samples[i],
    (sums, i) => sums.timeNs[i],
    (sums, i) => sums.stallNs[i],
    (sums, i) => sums.latency[i] / sums.measured[i],
    () => NaN, // the longest latency is not in the tiles
    ...[0, 1, 2, 3].map(levelShare),
    (sums, i) => sums.measured[i],
];

const isBelow = (nodes, n, above) => {
    for (let at = n; at !== null && at !== undefined; at = nodes.parent[at]) if (at === above) return true;
    return false;
};

/** Is there a filter other than data and places, which the map itself selects? */
export function reachesIn(selection) {
    return selection.filters().some(({ dimension }) => dimension !== 'node' && dimension !== 'place');
}

/** Does the stored field contain samples that the filters exclude? */
export function isFiltered(app, field) {
    const { model, selection } = app;
    if (!model.tiles.places) return false;
    if (reachesIn(selection)) return true;
    if (selection.node === null) return false;
    return field.isWholeDomain || !isBelow(model.nodes, field.node ?? undefined, selection.node);
}

/** The field on its base's places; made once. */
function basisOf(model, field) {
    const base = model.fields.find((other) => other.number === field.base) ?? field;
    field.basis ??= { ...base, label: field.label, coarse: new Map(), map: undefined };
    return field.basis;
}

/** {sums by place, all: one row, outside: samples in none} */
function sumPlaces(app, field, places) {
    const { tile } = app.model;
    const { masks } = app.selection;
    const sums = new Sums(places);
    const all = new Sums(1);
    const member = new Uint8Array(app.model.fields.reduce((most, f) => Math.max(most, f.number), 0) + 2);
    for (const other of app.model.fields)
        member[1 + other.number] = field.isWholeDomain
            ? other.base === field.base
            : other.number === field.number;
    const columns = COORDINATES.map((name) => tile[name]);
    const passes = COORDINATES.map((name) => masks[name]);
    let outside = 0;
    for (let i = 0; i < tile.len; i++) {
        if (!member[tile.field[i]] || !columns.every((column, d) => passes[d][column[i]])) continue;
        if (tile.place[i] === 0) {
            outside += tile.samples[i];
            continue;
        }
        sums.add(tile.place[i] - 1 - field.firstPlace, tile, i);
        all.add(0, tile, i);
    }
    return { sums, all: all.row(0), outside };
}

/** If tiles were merged, places are larger by the same factor. */
function detailOf(app, basis, flat, samples, detail) {
    const least = 2 ** app.model.tiles.placeLevel;
    const asked = detail === 'auto' ? fittingDetail(basis, flat, samples) : Number(detail);
    const details = detailsOf(basis);
    return Math.min(Math.max(asked, least), Math.max(details[details.length - 1], least));
}

function coarseOf(basis, by, flat) {
    const key = `${by} ${flat}`;
    if (!basis.coarse.has(key)) basis.coarse.set(key, coarsen(basis, by, flat));
    return basis.coarse.get(key);
}

/** Set values without samples to 0, because rounding of single tiles leaves small values. */
function known(sums, i, value) {
    return sums.samples[i] > 0 && Number.isFinite(value) ? value : NaN;
}

/**
 * A field with filters applied: {field: with its places, value(metric, place), outside, all: sums}; detail
 * and flat are the panel's settings.
 */
export function filteredField(app, field, detail, flat) {
    const basis = basisOf(app.model, field);
    const { sums: fine, all, outside } = sumPlaces(app, field, basis.places);
    let shown = basis;
    let sums = fine;
    if (basis.drawn === 'grid') {
        const by = detailOf(app, basis, flat, fine.samples, detail);
        if (by > 1 || flat !== null) {
            shown = coarseOf(basis, by, flat);
            sums = new Sums(shown.places);
            for (let i = 0; i < fine.samples.length; i++)
                if (fine.samples[i]) sums.addTo(shown.map[i], i, fine);
        }
    }
    const value = (metric, i) => known(sums, i, VALUES[metric](sums, i));
    const values = (metric) =>
        metric === LATENCY_MAX
            ? null
            : Float64Array.from({ length: shown.places }, (_, i) => value(metric, i));
    return { field: shown, value, values, outside, all };
}
