// SPDX-License-Identifier: BSD-3-Clause
// Latencies: a histogram of the measured loads, stacked by the level that served them, over the bands from
// which levels are inferred; and the kinds of access as a list.
import { ACCESS_COLOURS } from './colours.js';
import { barList } from './barlist.js';
import { barsChart } from './bars.js';
import { h, panel } from './dom.js';
import * as format from './format.js';
import { binBegin, binOf } from './model.js';

/** Bands of the levels as bins, where the levels have limits. */
function levelBands(model) {
    const last = model.dims.bin - 1;
    const out = [];
    let from = 1;
    for (let l = 0; l < model.levelLimits.length && from <= last; l++) {
        const limit = model.levelLimits[l];
        const to = limit === null ? last : Math.min(last, binOf(model, limit));
        if (to >= from) out.push({ name: model.labels.access[l], from, to, colour: ACCESS_COLOURS[l] });
        from = Math.max(from, to + 1);
    }
    return model.levelLimits[0] === null ? [] : out;
}

function tip(model, result, bin) {
    const lines = [
        bin === 0
            ? ['no latency measured', '']
            : [`${format.digits(binBegin(model, bin))} to ${format.cycles(binBegin(model, bin + 1))}`, ''],
    ];
    const width = model.dims.access;
    for (let a = 0; a < width; a++) {
        const samples = result.binByAccess[bin * width + a];
        if (samples) lines.push([model.labels.access[a], `${format.count(samples)} samples`]);
    }
    return lines;
}

export function latencyView(app) {
    const { model } = app;
    const { element, body } = panel(
        'latency',
        'Latency',
        'Loads by latency. Drag over a range, or select a level, to filter.',
    );
    if (model.dims.bin < 2) {
        body.append(h('p', { class: 'empty' }, 'No load was timed in this run, so there are no latencies.'));
        return { element, update() {} };
    }
    // bin 0 of the tiles, without a latency, is no bar
    const bars = model.dims.bin - 1;
    const chart = barsChart('histogram of load latencies', 'bin', shifted(app), bars);
    const list = barList(app, 'access', 'kinds of access', { colours: ACCESS_COLOURS, metric: 'samples' });
    body.append(chart.element, list.element);
    const names = Array.from({ length: bars }, (_, i) => format.tick(binBegin(model, i + 1)));
    const bands = levelBands(model).map((band) => ({ ...band, from: band.from - 1, to: band.to - 1 }));
    const update = (result) => {
        const width = model.dims.access;
        const stack = model.labels.access.slice(0, 5).map((name, a) => ({
            name,
            colour: ACCESS_COLOURS[a],
            values: names.map((_, i) => result.binByAccess[(i + 1) * width + a]),
        }));
        chart.update({
            names,
            stack,
            bands,
            axis: 'load latency from, cycles of the time stamp counter',
            unit: 'samples',
            interval: (bar) => bar > 0 && (bar - 1) % model.tiles.binsPerOctave === 0, // powers of two
            print: format.shortCount,
            tip: (bar) => tip(model, result, bar + 1),
        });
        list.update(result);
    };
    const table = () => {
        const { access, bin } = model.dims;
        const at = (n) => app.result.binByAccess.slice(n * access, (n + 1) * access);
        return {
            head: ['from_cycles', 'to_cycles', ...model.labels.access],
            rows: Array.from({ length: bin }, (_, n) => [
                n === 0 ? '' : binBegin(model, n),
                n === 0 ? '' : binBegin(model, n + 1),
                ...at(n),
            ]),
        };
    };
    return { element, update, table };
}

/** The selection as a range of bars: bar i is bin i + 1. */
function shifted(app) {
    const { selection } = app;
    return {
        selection: {
            get ranges() {
                const range = selection.ranges.bin;
                return { bin: range && range.map((bin) => bin - 1) };
            },
            selectRange: (dimension, range) =>
                selection.selectRange(dimension, range && range.map((bar) => bar + 1)),
            rangeText: (dimension) => selection.rangeText(dimension),
        },
    };
}
