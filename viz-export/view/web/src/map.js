// SPDX-License-Identifier: BSD-3-Clause
// The natural domain: a map of the positions in the problem at which the selected data is slow. Without
// filters, fields are for the whole run or a step, as computed by resolve; with filters, map_filtered.js
// computes them.
import { choice, h, panel } from './dom.js';
import * as format from './format.js';
import { filteredField, isFiltered, reachesIn } from './map_filtered.js';
import { gridPicture } from './map_grid.js';
import { coarsen, detailsOf, fittingDetail, SAMPLES } from './map_detail.js';
import { meshPicture } from './map_mesh.js';
import { count, pickedOf, selectionOf } from './map_places.js';
import { makeScale, metricPrinter, shownValues, sumsOfField, valuesOf } from './map_values.js';
import { scaleBar } from './scalebar.js';

const MISSING = `Nothing was mapped onto a natural domain in this run. A program describes where its elements are with
ndm_domain_new_grid() and ndm_map_grid(), or ndm_domain_new_mesh() and ndm_map_mesh(), of loadstone/ndm.h; the
next recording then has a map here.`;

const HOW = `Click a place, or drag over several, to see only those; with Shift to add them (a mesh with three axes turns
by dragging: there Shift and dragging selects). With the keyboard: arrows, or Page Up and Page Down on meshes, walk, Enter
selects, Shift and Enter everything from there to here, Escape everything.`;

const TITLES = {
    samples: 'samples',
    time_ns: 'time',
    stall_ns: 'stall',
    latency_mean_cycles: 'mean latency',
    latency_max_cycles: 'longest latency',
    timed: 'timed loads',
};
const LEVELS = ['level_l1', 'level_l2', 'level_l3', 'level_memory'];

/** null: a level that another one stands for. */
function titleOf(model, metric) {
    const at = LEVELS.indexOf(metric.name);
    if (at < 0) return TITLES[metric.name] ?? metric.name;
    const shown = model.levels.find(({ level }) => level === at);
    return shown ? `${shown.name} share` : null;
}

/** The field that belongs to a node: the node's field, else one of an ancestor, else one of a descendant. */
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
    const below = fields.filter((field) => field.node !== null && isBelow(field.node));
    // several in one group: all data of their domain that belongs to the group
    if (below.length > 1 && model.tiles.places)
        return fields.find((field) => field.number === below[0].base) ?? below[0];
    return below[0] ?? wholes[0] ?? fields[0];
}

/** "matrix on grid", or only the domain's name for all its data. */
function title(field) {
    return field.isWholeDomain ? `all data on ${field.domain}` : `${field.label} on ${field.domain}`;
}

function caption(field, values, outside) {
    const filled = values.reduce((sum, value) => sum + Number.isFinite(value), 0);
    const parts = [`${format.count(filled)} of ${format.count(field.places)} places have samples`];
    if (outside) parts.push(`${format.count(outside)} samples lie in ghost layers, padding or nowhere`);
    const shared = field.axes.filter((axis) => axis.cellsPerPlace > 1);
    if (field.drawn === 'grid' && shared.length)
        parts.push(
            `each place represents ${field.axes
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

/** Control for the resolution of a grid. */
function detailChoice(field, onchange) {
    const options = detailsOf(field).map((by) => [String(by), by === 1 ? 'finest' : `${by} × coarser`]);
    return choice('detail', [['auto', 'as samples allow'], ...options], 'auto', onchange);
}

/** A grid with three axes is flattened along one of them, or cut. */
function layerChoice(field, onchange) {
    const options = field.axes.map((axis, a) => [String(a), `together along ${axis.name}`]);
    return choice('layers', [...options, ['each', 'one by one']], '2', onchange);
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
    const state = { field: 'auto', metric: '2', step: 'whole', detail: 'auto', layers: '2', log: false };
    const stage = h('div', { class: 'stage' });
    const legend = h('div', { class: 'scale' });
    const steps = h('span', { class: 'controls' });
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
            model.metrics
                .map((metric, i) => [String(i), titleOf(model, metric)])
                .filter(([, title]) => title !== null),
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
    const how = h('p', { class: 'hint how' }, model.tiles.places ? HOW : '');
    body.append(stage, legend, how);
    let current = null;
    let drawn = null;
    let picture = null;
    let shown = null;
    const newField = (field) => {
        current = field;
        state.step = 'whole';
        state.detail = 'auto';
        state.layers = '2';
        const options = field.steps.map((step, i) => [String(i), step.label || format.seconds(step.beginS)]);
        steps.replaceChildren(
            options.length ? choice('step', [['whole', 'whole run'], ...options], 'whole', set('step')) : '',
            field.drawn === 'grid' ? detailChoice(field, set('detail')) : '',
            field.drawn === 'grid' && field.dims > 2 ? layerChoice(field, set('layers')) : '',
        );
    };
    const fitting = (field, flat) => {
        field.fitting ??= new Map();
        if (!field.fitting.has(flat))
            field.fitting.set(flat, fittingDetail(field, flat, valuesOf(model, field, 'whole', SAMPLES)));
        return field.fitting.get(flat);
    };
    /** The field, or a coarser or flatter one; each is made once. */
    const detailed = (field) => {
        if (field.drawn !== 'grid') return field;
        const flat = flatOf(field);
        const by = state.detail === 'auto' ? fitting(field, flat) : Number(state.detail);
        if (by === 1 && flat === null) return field;
        field.coarse ??= new Map();
        const key = `${by} ${flat}`;
        if (!field.coarse.has(key)) field.coarse.set(key, coarsen(field, by, flat));
        return field.coarse.get(key);
    };
    const show = () => {
        const chosen =
            state.field === 'auto'
                ? fieldOfNode(model, app.selection.node)
                : model.fields[Number(state.field)];
        if (chosen !== current) newField(chosen);
        const metric = Number(state.metric);
        shown = isFiltered(app, chosen) ? filtered(chosen) : unfiltered(chosen);
        const { field } = shown;
        if (field !== drawn) {
            picture?.dispose?.();
            stage.replaceChildren();
            picture = (field.drawn === 'grid' ? gridPicture : meshPicture)(
                model,
                field,
                stage,
                pickOn(field),
            );
            drawn = field;
        }
        Object.assign(stage.dataset, shown.sums);
        const values = shown.values(metric);
        if (!values) {
            note.textContent = `${title(chosen)}: ${shown.lacks}`;
            return;
        }
        const scale = makeScale(values, model.metrics[metric], state.log);
        const print = metricPrinter(model.metrics[metric]);
        picture.update(values, scale, placeLines(shown.value), pickedOf(model, app.selection, field));
        note.textContent = `${title(chosen)}: ${caption(field, values, shown.outside)}${shown.says}`;
        const printEnd = (value) =>
            scale.isOpen && value === scale.top ? `≥ ${print(value)}` : print(value);
        legend.replaceChildren(
            scaleBar(scale.low, scale.top, printEnd, model.metrics[metric].words, scale.middle),
        );
    };
    /** Called when places are picked in a picture, with a mask of them (null: none) and a text. */
    const pickOn = (field) => {
        if (!model.tiles.places) return null;
        return (picked, words) => {
            if (!picked || count(picked) === 0) {
                app.selection.selectPlaces(null);
                return;
            }
            const text = `${words ?? `${format.count(count(picked))} places`} on ${field.domain}`;
            app.selection.selectPlaces(selectionOf(model, field, picked, text));
        };
    };
    const flatOf = (field) =>
        field.drawn === 'grid' && field.dims > 2 && state.layers !== 'each' ? Number(state.layers) : null;
    /** The field as resolve computed it. */
    const unfiltered = (chosen) => {
        const field = detailed(chosen);
        const unreachable = !model.tiles.places && reachesIn(app.selection);
        return {
            field,
            value: (metric, place) => valuesOf(model, field, state.step, metric)?.[place],
            values: (metric) => shownValues(model, field, state.step, metric),
            lacks: 'steps hold samples, time, stall and mean latency only.',
            outside: chosen.outside,
            sums: sumsOfField(model, chosen, state.step),
            says: unreachable
                ? ' Filters other than data cannot reach into this map: this recording does not tell where single samples lie.'
                : '',
        };
    };
    /** The field computed from the samples that pass the filters. */
    const filtered = (chosen) => {
        const left = filteredField(app, chosen, state.detail, flatOf(chosen));
        const { samples, timeNs, stallNs } = left.all;
        const step =
            state.step === 'whole' ? '' : ' Filters see the whole run: select a time instead of a step.';
        return {
            ...left,
            lacks: 'with filters the longest latency is not known.',
            sums: { samples, timeNs, stallNs },
            says: (samples ? ' Filters are applied.' : ' No sample here passes the filters.') + step,
        };
    };
    /** A table of the places with samples: their positions and all metrics. */
    const table = () => {
        const { field, value } = shown;
        const axes = field.drawn === 'grid' ? field.axes.slice(0, field.dims) : [];
        const places = Array.from({ length: field.places }, (_, i) => i).filter((i) => value(SAMPLES, i) > 0);
        const strides = field.axes?.map((_, a) =>
            field.axes.slice(0, a).reduce((n, axis) => n * axis.places, 1),
        );
        return {
            head: [
                'place',
                ...axes.map((axis) => `first cell along ${axis.name}`),
                ...model.metrics.map((metric) => metric.name),
            ],
            rows: places.map((i) => [
                i,
                ...axes.map((axis, a) => (Math.floor(i / strides[a]) % axis.places) * axis.cellsPerPlace),
                ...model.metrics.map((_, m) => value(m, i) ?? NaN),
            ]),
        };
    };
    const placeLines = (value) => (place) =>
        model.metrics
            .map((metric, m) => [metric.words, value(m, place), metric])
            .filter(([, found]) => Number.isFinite(found))
            .map(([words, found, metric]) => [words, metricPrinter(metric)(found)]);
    return { element, update: show, redraw: show, table };
}
