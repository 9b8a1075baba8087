// SPDX-License-Identifier: BSD-3-Clause
// Values of a dimension as a list of buttons with bars, the largest first; pressed ones are selected.
import { h } from './dom.js';
import { costLines } from './metrics.js';
import { SUMS_HEAD, sumsCells } from './save.js';
import { tipOn } from './tip.js';

const SHOWN = 60;

function words(app, label, row) {
    return [[label, ''], ...costLines(app.model.whole, row)];
}

/** options: colours by value, metric: the id of one that is always shown, beside(value). */
export function barList(app, dimension, label, options = {}) {
    const list = h('ul', { class: 'barlist', 'aria-label': label });
    const metricOf = () => app.metrics.find((m) => m.id === (options.metric ?? app.metric.id));
    const item = (value, row, largest, metric) => {
        const text = app.model.labels[dimension][value];
        const size = metric.of(row);
        const button = h(
            'button',
            {
                type: 'button',
                'aria-pressed': app.selection.has(dimension, value) ? 'true' : 'false',
                'aria-label': words(app, text, row)
                    .map(([key, value]) => `${key} ${value}`)
                    .join('; '),
                'data-value': value,
                onclick: () => app.selection.toggle(dimension, value),
            },
            h('span', {
                class: 'bar',
                style: {
                    width: `${Math.max(0, Math.min(1, size / largest || 0)) * 100}%`,
                    background: options.colours?.[value] ?? 'var(--accent)',
                },
            }),
            h('span', { class: 'name' }, options.beside ? options.beside(value, text) : text),
            h('span', { class: 'amount' }, metric.format(size)),
        );
        tipOn(button, () => words(app, text, row));
        return h('li', {}, button);
    };
    const update = (result) => {
        const metric = metricOf();
        const sums = result[dimension];
        const values = Array.from(sums.samples.keys()).filter(
            (v) => metric.of(sums.row(v)) > 0 || sums.samples[v] > 0 || app.selection.has(dimension, v),
        );
        const rows = new Map(values.map((value) => [value, sums.row(value)]));
        const size = (value) => metric.of(rows.get(value)) || 0;
        if (!options.colours) values.sort((a, b) => size(b) - size(a) || a - b);
        const largest = Math.max(...values.map(size), 0) || 1;
        const focused = list.contains(document.activeElement) ? document.activeElement.dataset.value : null;
        list.replaceChildren(
            ...(values.length
                ? values.slice(0, SHOWN).map((value) => item(value, rows.get(value), largest, metric))
                : [h('li', { class: 'empty' }, 'No sample passes these filters.')]),
        );
        if (values.length > SHOWN)
            list.append(h('li', { class: 'hint' }, `${values.length - SHOWN} more, with less`));
        if (focused !== null) list.querySelector(`[data-value="${focused}"]`)?.focus({ preventScroll: true });
        return values;
    };
    /** The same rows as a table, all of them. */
    const table = () => {
        const sums = app.result[dimension];
        const values = Array.from(sums.samples.keys()).filter((value) => sums.has(value));
        return {
            head: [dimension, ...SUMS_HEAD],
            rows: values
                .map((value) => [app.model.labels[dimension][value], ...sumsCells(sums.row(value))])
                .sort((a, b) => b[1] - a[1]),
        };
    };
    return { element: list, update, table };
}
