// SPDX-License-Identifier: BSD-3-Clause
// Source lines by cost, and the text around the selected line, or the costliest one, with the cost of each
// line.
import { barList } from './barlist.js';
import { css, inkOn, shade } from './colours.js';
import { h, panel } from './dom.js';
import { hasTime } from './metrics.js';

const AROUND = 12;

const baseName = (path) => path.slice(path.lastIndexOf('/') + 1);

/** Lines of the file that have samples or time: number of the line to the value of the metric. */
function valuesOfFile(app, sums, file) {
    const { lines } = app.model;
    const out = new Map();
    lines.file.forEach((name, value) => {
        if (name !== file || !sums.has(value)) return;
        const entry = out.get(lines.number[value]) ?? { amount: 0, values: [] };
        entry.amount += app.metric.of(sums.row(value)) || 0;
        entry.values.push(value);
        out.set(lines.number[value], entry);
    });
    return out;
}

function excerpt(app, sums, value) {
    const { lines, sources } = app.model;
    const file = lines.file[value];
    const text = sources[file];
    if (!file)
        return [
            h(
                'p',
                { class: 'empty' },
                `${lines.label[value]}: no debugging information says where in the source that is.`,
            ),
        ];
    const title = h(
        'p',
        { class: 'file', title: file },
        `${baseName(file)} · ${lines.function[value] || 'unknown function'}`,
    );
    if (!text)
        return [
            title,
            h(
                'p',
                { class: 'empty' },
                `The recording holds no text of ${file}: it could not be read where the run was resolved.`,
            ),
        ];
    const amounts = valuesOfFile(app, sums, file);
    const largest = Math.max(...[...amounts.values()].map((entry) => entry.amount), 0) || 1;
    const centre = lines.number[value];
    const numbers = Object.keys(text)
        .map(Number)
        .sort((a, b) => a - b)
        .filter((number) => Math.abs(number - centre) <= AROUND);
    const rows = numbers.map((number, i) => {
        const entry = amounts.get(number);
        const rgb = entry && shade(entry.amount / largest);
        return h(
            'tr',
            {
                class:
                    [number === centre ? 'centre' : '', i > 0 && numbers[i - 1] !== number - 1 ? 'gap' : '']
                        .join(' ')
                        .trim() || undefined,
            },
            h(
                'td',
                { class: 'cost', style: rgb ? { background: css(rgb), color: inkOn(rgb) } : {} },
                entry ? app.metric.format(entry.amount) : '',
            ),
            h('td', { class: 'number' }, number),
            h('td', { class: 'text' }, text[number]),
        );
    });
    return [
        title,
        h(
            'div',
            { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'source text' },
            h('table', { class: 'source' }, h('tbody', {}, ...rows)),
        ),
    ];
}

export function codeView(app) {
    const { element, body } = panel(
        'code',
        'Code',
        hasTime(app.model.whole)
            ? 'Source lines by time: of bursts that began there or, once data is selected, of their accesses to it. Select lines to filter.'
            : 'Source lines by samples. Select lines to filter.',
    );
    const lines = barList(app, 'line', 'source lines');
    const code = h('div', { class: 'excerpt' });
    body.append(lines.element, code);
    const update = (result) => {
        const shown = lines.update(result);
        const selected = [...app.selection.sets.line].pop();
        const value = selected ?? shown.find((v) => v < app.model.lines.len);
        code.replaceChildren(
            ...(value === undefined || value >= app.model.lines.len ? [] : excerpt(app, result.line, value)),
        );
    };
    return { element, update, table: lines.table };
}

export function threadsView(app) {
    const { element, body } = panel('threads', 'Threads', 'Select threads to filter.');
    const threads = barList(app, 'thread', 'threads');
    body.append(threads.element);
    return { element, update: threads.update, table: threads.table };
}
