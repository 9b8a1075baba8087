// SPDX-License-Identifier: BSD-3-Clause
// Values of a field as they are shown, and the scale of colours that fits them.
import { shade } from './colours.js';
import * as format from './format.js';
import { coarseValues, SAMPLES, TIMED } from './map_detail.js';

/** A column of the page, decoded at its first use. */
function columnOf(model, field, step, metric) {
    const name = step === 'whole' ? `f${field.number}.${metric}` : `f${field.number}.s${step}.${metric}`;
    model.fieldColumns ??= new Map();
    if (!model.fieldColumns.has(name)) model.fieldColumns.set(name, model.column(name) ?? null);
    return model.fieldColumns.get(name);
}

/** null: the page has none (steps hold fewer metrics). */
export function valuesOf(model, field, step, metric) {
    const values = columnOf(model, field, step, metric);
    if (!values || !field.map) return values;
    const key = `${step}.${metric}`;
    if (!field.cache.has(key)) {
        const { mixing } = model.metrics[metric];
        const weights = columnOf(model, field, step, mixing === 'mean' ? TIMED : SAMPLES);
        field.cache.set(key, coarseValues(field, mixing, values, weights));
    }
    return field.cache.get(key);
}

/** Totals over the places of a field: the sums of the report. */
export function sumsOfField(model, field, step) {
    const sum = (metric) => columnOf(model, field, step, metric)?.reduce((total, value) => total + value, 0);
    return { samples: sum(SAMPLES), timeNs: sum(SAMPLES + 1), stallNs: sum(SAMPLES + 2) };
}

/** Places without a sample are missing, also in sums. */
export function shownValues(model, field, step, metric) {
    const values = valuesOf(model, field, step, metric);
    const samples = valuesOf(model, field, step, SAMPLES);
    return values && values.map((value, i) => (samples && !samples[i] ? NaN : value));
}

const printers = { ns: format.time, cycles: format.cycles };

export function metricPrinter(metric) {
    if (metric.name.startsWith('level_')) return format.percent;
    return printers[metric.unit] ?? format.count;
}

/** The least value, the end of a linear scale, and the largest value. If a few values are far beyond all
 * others, the scale ends at the 99th percentile, because otherwise all others would have one colour. */
function rangeOf(values, logarithmic) {
    const known = Float64Array.from(
        values.filter((value) => Number.isFinite(value) && (!logarithmic || value > 0)),
    );
    if (known.length === 0) return [0, 1, 1];
    known.sort();
    const most = known[known.length - 1];
    const usual = known[Math.floor((known.length - 1) * 0.99)];
    return [known[0], usual > 0 && most > 1.5 * usual ? usual : most, most];
}

/** Value to colour, with the values at the ends and in the middle. */
export function makeScale(values, metric, logarithmic) {
    const isShare = metric.name.startsWith('level_');
    const [least, high, most] = rangeOf(values, logarithmic);
    const low = logarithmic ? least : 0;
    const end = logarithmic ? most : high;
    const top = isShare && !logarithmic ? 1 : end > low ? end : low + 1;
    const part = (value) =>
        logarithmic ? Math.log(value / low) / Math.log(top / low) : (value - low) / (top - low);
    return {
        low,
        top,
        isOpen: most > top * 1.0001,
        middle: logarithmic ? Math.sqrt(low * top) : (low + top) / 2,
        of: (value) => (Number.isFinite(value) && (!logarithmic || value > 0) ? shade(part(value)) : null),
    };
}
