// SPDX-License-Identifier: BSD-3-Clause
// Coarser grids: neighbouring places are merged, so that few samples form areas and not single dots. Metrics
// in the order of ndm/ndm_field.h; values are merged as in ndm/ndm_mix.h.
export const SAMPLES = 0;
export const TIMED = 9;
const JOINED = 0.6; // more than the two of four neighbours of a line
const PLACES_LEFT = 16; // along the longest axis

/** Factors for coarser grids: 1, 2, 4, ... */
export function detailsOf(field) {
    const longest = Math.max(...field.axes.map((axis) => axis.places));
    const out = [1];
    while (longest / (out[out.length - 1] * 2) >= PLACES_LEFT) out.push(out[out.length - 1] * 2);
    return out;
}

/** Share of the neighbours of places with samples that have samples, too. */
function connectedness(field, samples) {
    const extents = field.axes.map((axis) => axis.places);
    const strides = [1, extents[0], extents[0] * extents[1]];
    let neighbours = 0;
    let filled = 0;
    for (let i = 0; i < field.places; i++) {
        if (!samples[i]) continue;
        for (let a = 0; a < 3; a++) {
            const at = Math.floor(i / strides[a]) % extents[a];
            for (const step of [-1, 1])
                if (at + step >= 0 && at + step < extents[a]) {
                    neighbours++;
                    filled += samples[i + step * strides[a]] > 0;
                }
        }
    }
    return neighbours ? filled / neighbours : 1;
}

/** The finest factor at which places with samples join into areas. samples: by the finest places. */
export function fittingDetail(field, flat, samples) {
    const details = detailsOf(field);
    const joins = (by) => {
        const coarse = coarsen(field, by, flat);
        return connectedness(coarse, coarseValues(coarse, 'adds', samples, samples)) >= JOINED;
    };
    return details.find(joins) ?? details[details.length - 1];
}

function placeMap(field, axes, by) {
    const [nx, ny, nz] = field.axes.map((axis) => axis.places);
    const part = (at, a) => Math.floor(at / by[a]);
    const map = new Uint32Array(nx * ny * nz);
    let i = 0;
    for (let z = 0; z < nz; z++)
        for (let y = 0; y < ny; y++)
            for (let x = 0; x < nx; x++)
                map[i++] = (part(z, 2) * axes[1].places + part(y, 1)) * axes[0].places + part(x, 0);
    return map;
}

/** The field with places of `by` cells along each axis; along the axis `flat` (null: none) all are merged. */
export function coarsen(field, by, flat) {
    const factors = field.axes.map((axis, a) => (a === flat ? axis.places : Math.min(by, axis.places)));
    const axes = field.axes.map((axis, a) => ({
        ...axis,
        places: Math.ceil(axis.places / factors[a]),
        cellsPerPlace: axis.cellsPerPlace * factors[a],
    }));
    const places = axes.reduce((product, axis) => product * axis.places, 1);
    return {
        ...field,
        fineAxes: field.axes,
        axes,
        places,
        flat,
        map: placeMap(field, axes, factors),
        cache: new Map(),
    };
}

/** values, weights: by the finest places. */
export function coarseValues(coarse, mixing, values, weights) {
    const sums = new Float64Array(coarse.places);
    const weightSums = new Float64Array(coarse.places);
    coarse.map.forEach((place, i) => {
        if (!Number.isFinite(values[i]) || !(weights[i] > 0)) return;
        if (mixing === 'max') sums[place] = Math.max(sums[place], values[i]);
        else sums[place] += mixing === 'mean' ? values[i] * weights[i] : values[i];
        weightSums[place] += weights[i];
    });
    if (mixing === 'adds') return sums;
    return sums.map((sum, place) => {
        if (!weightSums[place]) return NaN;
        return mixing === 'mean' ? sum / weightSums[place] : sum;
    });
}
