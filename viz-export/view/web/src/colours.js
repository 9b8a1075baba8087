// SPDX-License-Identifier: BSD-3-Clause
// Colours that people with colour vision deficiencies can distinguish: viridis (van der Walt, Smith 2015) for
// amounts, the palette of Okabe and Ito (2008) for kinds.

// L1, L2, L3, DRAM, load of unknown level, load without a latency, store, prefetch, no data
export const ACCESS_COLOURS = [
    '#0072b2',
    '#56b4e9',
    '#e69f00',
    '#d55e00',
    '#999999',
    '#b8b8b8',
    '#cc79a7',
    '#009e73',
    '#dddddd',
];
export const STALL_COLOUR = '#d55e00';
export const TIME_COLOUR = '#56b4e9';

const channels = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

/** The scale of amounts: colours at equal distances, as the page's data has them (viz-export/vx_axis.c). */
export const SCALE = { stops: [], shades: [] };

export function setScale(stops) {
    const colours = stops.map(channels);
    SCALE.stops = stops;
    SCALE.shades = Array.from({ length: 256 }, (_, i) => {
        const at = (i / 255) * (colours.length - 1);
        const low = Math.min(Math.floor(at), colours.length - 2);
        return colours[low].map((c, k) => Math.round(c + (colours[low + 1][k] - c) * (at - low)));
    });
}

/** Colour of a part of the whole scale, 0 to 1; not a number: none. */
export function shade(part) {
    if (!Number.isFinite(part)) return null;
    return SCALE.shades[Math.round(Math.min(1, Math.max(0, part)) * 255)];
}

/** Colour in the syntax with commas: ECharts does not know the newer one, and would draw no colour for an
 * item under the pointer. */
export const css = (rgb) => `rgb(${rgb.join(', ')})`;

/** Black or white, whichever reads better on it (WCAG relative luminance). */
export function inkOn([r, g, b]) {
    const linear = (c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
    const luminance = 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
    return luminance > 0.179 ? '#000' : '#fff';
}
