// SPDX-License-Identifier: BSD-3-Clause
// The natural domain: where in the problem the selected data is slow. Fields are whole-run or of a step; they
// follow the selected data, the other filters cannot reach into them, which the panel says.
import { palette } from './colours.js';
import { choice, h, panel } from './dom.js';
import * as format from './format.js';
import { gridPicture } from './map_grid.js';
import { meshPicture } from './map_mesh.js';
import { scaleBar } from './scalebar.js';

const MISSING = `Nothing was mapped onto a natural domain in this run. A program tells where its elements lie with
ndm_domain_new_grid() and ndm_map_grid(), or ndm_domain_new_mesh() and ndm_map_mesh(), of loadstone/ndm.h; the
next recording then has a map here.`;

const TITLES = {
    samples: 'samples',
    time_ns: 'time',
    stall_ns: 'stall',
    latency_mean_cycles: 'mean latency',
    latency_max_cycles: 'longest latency',
    level_l1: 'L1 share',
    level_l2: 'L2 share',
    level_l3: 'L3 share',
    level_memory: 'DRAM share',
};

const printers = { ns: format.time, cycles: format.cycles };

function metricPrinter(metric) {
    if (metric.name.startsWith('level_')) return format.percent;
    return printers[metric.unit] ?? format.count;
}

/** The field that belongs to a node: its own, one of what contains it, else of what it contains. */
function fieldOfNode(model, node) {
    const { fields, nodes } = model;
    const wholes = fields.filter((field) => field.isWholeDomain);
    if (node === null) return wholes[0] ?? fields[0];
    for (let at = node; at !== null; at = nodes.parent[at]) {
        const own = fields.find((field) => field.node === at);
        if (own) return own;
    }
    const isBelow = (n) => {
        for (let at = n; at !== null && at !== undefined; at = nodes.parent[at]) if (at === node) return true;
        return false;
    };
    return fields.find((field) => field.node !== null && isBelow(field.node)) ?? wholes[0] ?? fields[0];
}

/** Columns are decoded when they are first looked at. */
function valuesOf(model, field, step, metric) {
    const name = step === 'whole' ? `f${field.number}.${metric}` : `f${field.number}.s${step}.${metric}`;
    field.cache ??= new Map();
    if (!field.cache.has(name)) field.cache.set(name, model.column(name) ?? null);
    return field.cache.get(name);
}

/** Places without a sample are missing, in sums too. */
function shownValues(model, field, step, metric) {
    const values = valuesOf(model, field, step, metric);
    const samples = valuesOf(model, field, step, 0);
    return values && values.map((value, i) => (samples && !samples[i] ? NaN : value));
}

function rangeOf(values, logarithmic) {
    let low = Infinity;
    let high = -Infinity;
    for (const value of values)
        if (Number.isFinite(value) && (!logarithmic || value > 0)) {
            low = Math.min(low, value);
            high = Math.max(high, value);
        }
    return low <= high ? [low, high] : [0, 1];
}

/** Value to colour; its ends and what stands in the middle. */
function makeScale(values, metric, logarithmic) {
    const isShare = metric.name.startsWith('level_');
    const [least, high] = rangeOf(values, logarithmic);
    const low = logarithmic ? least : 0;
    const top = isShare && !logarithmic ? 1 : high > low ? high : low + 1;
    const colours = palette('viridis');
    const part = (value) =>
        logarithmic ? Math.log(value / low) / Math.log(top / low) : (value - low) / (top - low);
    return {
        low,
        top,
        middle: logarithmic ? Math.sqrt(low * top) : (low + top) / 2,
        of: (value) =>
            Number.isFinite(value) && (!logarithmic || value > 0)
                ? colours[Math.round(Math.min(1, Math.max(0, part(value))) * 255)]
                : null,
    };
}

/** "matrix on grid", or only the domain's name for all its data. */
function title(field) {
    return field.isWholeDomain ? `all data on ${field.domain}` : `${field.label} on ${field.domain}`;
}

function caption(field, values) {
    const filled = values.reduce((sum, value) => sum + Number.isFinite(value), 0);
    const parts = [`${format.count(filled)} of ${format.count(field.places)} places have samples`];
    if (field.outside)
        parts.push(`${format.count(field.outside)} samples lie in ghost layers, padding or nowhere`);
    const shared = field.axes.filter((axis) => axis.cellsPerPlace > 1);
    if (field.drawn === 'grid' && shared.length)
        parts.push(
            `each place stands for ${field.axes
                .slice(0, field.dims)
                .map((axis) => axis.cellsPerPlace)
                .join(' × ')} cells`,
        );
    if (field.drawn === 'points' && field.places < field.values)
        parts.push(
            `${format.count(field.values)} ${field.centering} in ${format.count(field.places)} places`,
        );
    return `${parts.join('; ')}.`;
}

export function mapView(app) {
    const { model } = app;
    const { element, controls, body, note } = panel('map', 'Natural domain', '');
    if (model.fields.length === 0) {
        note.remove();
        element.classList.add('bare');
        body.append(h('p', { class: 'empty' }, MISSING));
        return { element, update() {} };
    }
    const state = { field: 'auto', metric: '2', step: 'whole', log: false };
    const stage = h('div', { class: 'stage' });
    const legend = h('div', { class: 'scale' });
    const steps = h('span', {});
    const set = (key) => (value) => {
        state[key] = value;
        show();
    };
    controls.append(
        choice(
            'field',
            [['auto', 'of the selected data'], ...model.fields.map((field, i) => [String(i), title(field)])],
            state.field,
            set('field'),
        ),
        choice(
            'colour',
            model.metrics.map((metric, i) => [String(i), TITLES[metric.name] ?? metric.name]),
            state.metric,
            set('metric'),
        ),
        choice(
            'scale',
            [
                ['', 'linear'],
                ['log', 'logarithmic'],
            ],
            '',
            (value) => set('log')(value === 'log'),
        ),
        steps,
    );
    body.append(stage, legend);
    let current = null;
    let picture = null;
    const stepChoice = (field) => {
        state.step = 'whole';
        const options = field.steps.map((step, i) => [String(i), step.label || format.seconds(step.beginS)]);
        steps.replaceChildren(
            options.length ? choice('step', [['whole', 'whole run'], ...options], 'whole', set('step')) : '',
        );
    };
    const show = () => {
        const field =
            state.field === 'auto'
                ? fieldOfNode(model, app.selection.node)
                : model.fields[Number(state.field)];
        if (field !== current) {
            picture?.dispose?.();
            stage.replaceChildren();
            picture = (field.drawn === 'grid' ? gridPicture : meshPicture)(model, field, stage);
            stepChoice(field);
            current = field;
        }
        const metric = model.metrics[Number(state.metric)];
        const values = shownValues(model, field, state.step, state.metric);
        if (!values) {
            note.textContent = `${field.label}: steps hold samples, time, stall and mean latency only.`;
            return;
        }
        const scale = makeScale(values, metric, state.log);
        const print = metricPrinter(metric);
        picture.update(values, scale, (place) => placeLines(place, field));
        const others = app.selection.filters().some((filter) => filter.dimension !== 'node');
        note.textContent = `${title(field)}: ${caption(field, values)}${others ? ' Filters other than data cannot reach into this map.' : ''}`;
        legend.replaceChildren(scaleBar('viridis', scale.low, scale.top, print, metric.words, scale.middle));
    };
    const placeLines = (place, field) =>
        model.metrics
            .map((metric, m) => [metric.words, valuesOf(model, field, state.step, m)?.[place], metric])
            .filter(([, value]) => Number.isFinite(value))
            .map(([words, value, metric]) => [words, metricPrinter(metric)(value)]);
    return { element, update: show, redraw: show };
}
