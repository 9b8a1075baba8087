// SPDX-License-Identifier: BSD-3-Clause
// Colours that people with colour vision deficiencies tell apart: cividis (Nuñez, Anderton, Renslow 2018) and
// viridis (van der Walt, Smith 2015) for amounts, those of Okabe and Ito (2008) for kinds.
const CIVIDIS = [
    '#00224e',
    '#123570',
    '#3b496c',
    '#575d6d',
    '#707173',
    '#8a8678',
    '#a59c74',
    '#c3b369',
    '#e1cc55',
    '#fee838',
];
const VIRIDIS = [
    '#440154',
    '#482878',
    '#3e4a89',
    '#31688e',
    '#26828e',
    '#1f9e89',
    '#35b779',
    '#6dcd59',
    '#b4de2c',
    '#fde725',
];
export const SCALES = { cividis: CIVIDIS, viridis: VIRIDIS };

// L1, L2, L3, DRAM, load of unknown level, load without a latency, store, prefetch
export const ACCESS_COLOURS = [
    '#0072b2',
    '#56b4e9',
    '#e69f00',
    '#d55e00',
    '#999999',
    '#b8b8b8',
    '#cc79a7',
    '#009e73',
];
export const STALL_COLOUR = '#d55e00';
export const TIME_COLOUR = '#56b4e9';

const channels = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

/** 256 colours of a scale as [r, g, b]. */
export function palette(name) {
    const stops = SCALES[name].map(channels);
    return Array.from({ length: 256 }, (_, i) => {
        const at = (i / 255) * (stops.length - 1);
        const low = Math.min(Math.floor(at), stops.length - 2);
        return stops[low].map((c, k) => Math.round(c + (stops[low + 1][k] - c) * (at - low)));
    });
}

const shades = palette('cividis');

/** Colour of a part of the whole scale, 0 to 1; not a number: none. */
export function shade(part) {
    if (!Number.isFinite(part)) return null;
    return shades[Math.round(Math.min(1, Math.max(0, part)) * 255)];
}

export const css = (rgb) => `rgb(${rgb.join(' ')})`;

/** Black or white, whichever reads better on it (WCAG relative luminance). */
export function inkOn([r, g, b]) {
    const linear = (c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
    const luminance = 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
    return luminance > 0.179 ? '#000' : '#fff';
}
