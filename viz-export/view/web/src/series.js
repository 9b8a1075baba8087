// SPDX-License-Identifier: BSD-3-Clause
// Counters of the machine over the slices of the run, with the outer phases. Filters do not change them,
// because they count the whole machine, but a range of time that is selected here filters the other panels.
import { TIME_COLOUR } from './colours.js';
import { barsChart } from './bars.js';
import { choice, h, panel } from './dom.js';
import * as format from './format.js';

const PREFIXES = ['', 'k', 'M', 'G', 'T', 'P'];
const BANDS = ['#7f7f7f', '#3b78c2'];

/** "12.3 MB/s": three digits, in powers of 1000. */
function amount(value, unit) {
    if (value === null || !Number.isFinite(value)) return 'no value';
    const prefix =
        unit === '%' ? 0 : Math.min(PREFIXES.length - 1, Math.floor(Math.log10(Math.max(1, value)) / 3));
    return `${Number((value / 1000 ** prefix).toPrecision(3))} ${PREFIXES[prefix]}${unit}`;
}

function bandsOf(spans, slice, slices) {
    const colours = new Map();
    return spans.map(({ name, beginNs, endNs }, i) => {
        if (!colours.has(name)) colours.set(name, BANDS[colours.size % BANDS.length]);
        const at = (ns) => Math.min(slices - 1, Math.max(0, Math.floor(ns / slice)));
        const shown = i === 0 || spans[i - 1].name !== name ? name : '';
        return { name: shown, from: at(beginNs), to: at(endNs), colour: colours.get(name) };
    });
}

export function seriesView(app) {
    const { model } = app;
    const { slices } = model.tiles;
    const { element, controls, body } = panel(
        'series',
        'Counters of the machine',
        'What each counter of record --series counted in each slice of the run, per second, for the whole machine. Filters do not change it. Drag to see only a part of the run.',
    );
    element.hidden = model.series.length === 0;
    if (model.series.length === 0) return { element, update() {} };
    const slice = model.durationNs / slices;
    const axis = format.timeAxis(model.durationNs);
    const ticks = Array.from({ length: slices }, (_, i) => format.tick((i * slice) / axis.unitNs));
    const bands = bandsOf(model.spans, slice, slices);
    const chart = barsChart('counter by slices of wall time', 'slice', app, slices);
    const options = model.series.map(({ name }, i) => [String(i), name]);
    let chosen = 0;
    const choose = (value) => {
        chosen = Number(value);
        update();
    };
    const note = h('p', { class: 'hint' });
    controls.append(choice('counter', options, '0', choose));
    body.append(chart.element, note);
    function update() {
        const { name, unit, values, verified } = model.series[chosen];
        const known = values.filter((value) => value !== null);
        const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
        element.dataset.mean = mean;
        note.textContent = `mean ${amount(mean, unit)}, known in ${known.length} of ${slices} slices; ${verified}`;
        chart.update({
            names: ticks,
            stack: [{ name, colour: TIME_COLOUR, values: values.map((value) => value ?? 0) }],
            bands,
            axis: `wall time since the start, ${axis.unit}`,
            unit,
            print: (value) => amount(value, '').trim(),
            tip: (i) => [
                [`${format.time(i * slice)} to ${format.time((i + 1) * slice)}`, ''],
                [name, amount(values[i], unit)],
            ],
        });
    }
    const table = () => ({
        head: ['begin_ns', 'end_ns', ...model.series.map(({ name, unit }) => `${name} (${unit})`)],
        rows: ticks.map((_, i) => [
            i * slice,
            (i + 1) * slice,
            ...model.series.map(({ values }) => values[i] ?? NaN),
        ]),
    });
    return { element, update, table };
}
