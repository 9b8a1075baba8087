// SPDX-License-Identifier: BSD-3-Clause
// Time: CPU time by slices of the run's wall time, and the part of it that waited.
import { STALL_COLOUR, TIME_COLOUR } from './colours.js';
import { barsChart } from './bars.js';
import { h, panel } from './dom.js';
import * as format from './format.js';
import { costLines, hasTime } from './metrics.js';
import { SUMS_HEAD, sumsCells } from './save.js';

export function timelineView(app) {
    const { model } = app;
    const { slices } = model.tiles;
    const ofTime = hasTime(model.whole);
    const { element, body } = panel(
        'timeline',
        'Time',
        `${ofTime ? 'CPU time' : 'Samples'} in each slice of the run. Drag to see only a part of the run.`,
    );
    const chart = barsChart(
        `${ofTime ? 'CPU time' : 'samples'} by slices of wall time`,
        'slice',
        app,
        slices,
    );
    const slice = model.durationNs / slices;
    const names = Array.from({ length: slices }, (_, i) => format.time(i * slice));
    const axis = format.timeAxis(model.durationNs);
    const ticks = Array.from({ length: slices }, (_, i) => format.tick((i * slice) / axis.unitNs));
    body.append(chart.element);
    const legend = () =>
        h(
            'ul',
            { class: 'legend' },
            h(
                'li',
                {},
                h('i', { style: { background: STALL_COLOUR } }),
                'stall (waiting for memory, estimated)',
            ),
            h('li', {}, h('i', { style: { background: TIME_COLOUR } }), 'other time'),
        );
    if (ofTime) body.append(legend());
    const update = ({ slice: sums }) => {
        const rows = names.map((_, i) => sums.row(i));
        const inSeconds = rows.some((row) => row.timeNs >= 1e10);
        const values = (of) => rows.map((row) => of(row) / (inSeconds ? 1e9 : 1e6));
        const stallOf = (row) => Math.max(0, row.stallNs) || 0; // not a number: not known
        const stall = values(stallOf);
        const other = values((row) => Math.max(0, row.timeNs - stallOf(row)));
        chart.update({
            names: ticks,
            stack: ofTime
                ? [
                      { name: 'stall', colour: STALL_COLOUR, values: stall },
                      { name: 'other', colour: TIME_COLOUR, values: other },
                  ]
                : [{ name: 'samples', colour: TIME_COLOUR, values: rows.map((row) => row.samples) }],
            axis: `wall time since the start, ${axis.unit}`,
            unit: ofTime ? `CPU time, ${inSeconds ? 's' : 'ms'}` : 'samples',
            print: format.tick,
            tip: (i) => [
                [`${names[i]} to ${format.time((i + 1) * slice)}`, ''],
                ...costLines(model.whole, rows[i]),
            ],
        });
    };
    const table = () => ({
        head: ['begin_ns', 'end_ns', ...SUMS_HEAD],
        rows: names.map((_, i) => [i * slice, (i + 1) * slice, ...sumsCells(app.result.slice.row(i))]),
    });
    return { element, update, table };
}
