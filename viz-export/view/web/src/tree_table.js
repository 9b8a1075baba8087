// SPDX-License-Identifier: BSD-3-Clause
// The tree as the table that loadstone report prints.
import { h } from './dom.js';
import * as format from './format.js';
import { hasTime } from './metrics.js';

const levelCell = (level) => (row) => {
    const known = row.levels.reduce((sum, n) => sum + n, 0);
    return known ? ((row.levels[level] / known) * 100).toFixed(0) : '–';
};

/** Median and 95th percentile describe the whole run, because they cannot be computed from sums. */
function columns(app) {
    const { model } = app;
    const whole = app.selection.isEmpty();
    if (!hasTime(model.whole))
        return [
            ['samples', (row) => format.count(row.samples)],
            ['share', (row) => format.percent(row.samples / model.whole.samples)],
        ];
    const cells = [
        ['time', (row) => format.percent(row.timeNs / model.whole.timeNs)],
        ['stall', (row) => format.percent(row.stallNs / model.whole.stallNs)],
        ['stall time', (row) => format.time(row.stallNs)],
        ['samples', (row) => format.count(row.samples)],
        ['average, cycles', (row) => format.digits(row.latency / row.measured)],
    ];
    if (whole)
        cells.push(
            ['median, cycles', (_, n) => format.digits(model.nodes.medianCycles[n] ?? NaN)],
            ['p95, cycles', (_, n) => format.digits(model.nodes.p95Cycles[n] ?? NaN)],
        );
    return [...cells, ...model.levels.map(({ name, level }) => [`${name} %`, levelCell(level)])];
}

function line(app, row, cells) {
    const selected = app.selection.node === row.n;
    const select = () => app.selection.selectNode(row.n);
    return h(
        'tr',
        {
            class: selected ? 'selected' : undefined,
            'data-node': app.model.nodes.id[row.n],
            'data-time-ns': row.sums.timeNs,
            'data-stall-ns': row.sums.stallNs,
            'data-samples': row.sums.samples,
            onclick: select,
        },
        h(
            'th',
            { scope: 'row', style: { paddingLeft: `${row.depth * 1.1 + 0.3}rem` } },
            h(
                'button',
                { type: 'button', class: 'plain', 'aria-pressed': selected ? 'true' : 'false' },
                row.label,
            ),
        ),
        ...cells.map(([, cell]) => h('td', {}, cell(row.sums, row.n))),
    );
}

export function treeTable(app, stage) {
    const scroll = h('div', { class: 'scroll' });
    stage.append(scroll);
    return {
        update(rows) {
            const cells = columns(app);
            scroll.replaceChildren(
                h(
                    'table',
                    { class: 'numbers' },
                    h(
                        'thead',
                        {},
                        h('tr', {}, h('th', {}, 'data'), ...cells.map(([title]) => h('th', {}, title))),
                    ),
                    h('tbody', {}, ...rows.map((row) => line(app, row, cells))),
                ),
            );
        },
    };
}
