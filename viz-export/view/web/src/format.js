// SPDX-License-Identifier: BSD-3-Clause
// Numbers with their units; an unknown value is a dash.
const DASH = '–';

const known = (value) => Number.isFinite(value);

function scaled(value, units) {
    const size = Math.abs(value);
    const unit = units.find(([limit]) => size >= limit) ?? units[units.length - 1];
    return [value / unit[0], unit[1]];
}

/** Three significant digits, no exponent. */
export function digits(value) {
    if (!known(value)) return DASH;
    const size = Math.abs(value);
    if (size >= 100 || value === 0) return value.toFixed(0);
    return value.toFixed(size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

/** Text for a tick of an axis, with at most two decimals. */
export function tick(value) {
    return known(value) ? String(Math.round(value * 100) / 100) : DASH;
}

export function count(value) {
    if (!known(value)) return DASH;
    return Math.round(value)
        .toString()
        .replace(/\B(?=(\d{3})+$)/g, ',');
}

export function shortCount(value) {
    if (!known(value)) return DASH;
    if (value < 1e4) return count(value);
    const [n, unit] = scaled(value, [
        [1e9, 'G'],
        [1e6, 'M'],
        [1e3, 'k'],
    ]);
    return `${digits(n)} ${unit}`;
}

const TIMES = [
    [1e9, 's'],
    [1e6, 'ms'],
    [1e3, 'µs'],
    [1, 'ns'],
];

/** One unit for all ticks of an axis that ends at ns. */
export function timeAxis(ns) {
    const [unitNs, unit] = TIMES.find(([limit]) => ns >= 2 * limit) ?? TIMES[TIMES.length - 1];
    return { unitNs, unit };
}

export function time(ns) {
    if (!known(ns)) return DASH;
    const [n, unit] = scaled(ns, TIMES);
    return `${digits(n)} ${unit}`;
}

export function seconds(s) {
    return time(s * 1e9);
}

export function percent(share) {
    if (!known(share)) return DASH;
    return `${(share * 100).toFixed(1)} %`;
}

export function cycles(n) {
    return known(n) ? `${digits(n)} cycles` : DASH;
}

export function bytes(n) {
    if (!known(n)) return DASH;
    const [value, unit] = scaled(n, [
        [2 ** 30, 'GiB'],
        [2 ** 20, 'MiB'],
        [2 ** 10, 'KiB'],
        [1, 'bytes'],
    ]);
    return `${unit === 'bytes' ? value : digits(value)} ${unit}`;
}
