// SPDX-License-Identifier: BSD-3-Clause
// Top of the page: command, method of measurement, selection and its cost.
import { h } from './dom.js';
import * as format from './format.js';
import { ACCESS_COLOURS } from './colours.js';
import { hasTime } from './metrics.js';

function facts(model) {
    const list = h('dl', { class: 'facts' });
    for (const [key, text] of model.facts) {
        if (key) list.append(h('dt', {}, key), h('dd', {}, text));
        else list.lastElementChild?.append(h('br'), text);
    }
    return list;
}

/** The conclusion of loadstone report: the data that waits most, the place, the remedy. */
function conclusion(model) {
    const list = h('ul', { id: 'conclusion', 'aria-label': 'conclusion' });
    for (const [key, text] of model.conclusion)
        list.append(h('li', { class: key ? 'keyed' : undefined }, key && h('b', {}, `${key} `), text));
    return list;
}

function coarsened(model) {
    const { linesFolded, nodesFolded, threadsFolded, slices } = model.tiles;
    const parts = [
        [linesFolded, 'source lines'],
        [nodesFolded, 'pieces of data (into their parents)'],
        [threadsFolded, 'threads'],
    ].filter(([n]) => n > 0);
    if (parts.length === 0) return null;
    const text = parts.map(([n, what]) => `${format.count(n)} ${what}`).join(', ');
    return `Merged to keep this page small, the least costly first: ${text}; time is divided into ${slices} slices.`;
}

export function headView(model, buttons) {
    const fact = (key) => model.facts.find(([name]) => name === key)?.[1] ?? '';
    const note = coarsened(model);
    return h(
        'header',
        { class: 'top' },
        h('div', { class: 'row' }, h('h1', {}, model.title), h('div', { class: 'buttons' }, ...buttons)),
        model.command && h('p', { class: 'brief', id: 'command' }, model.command),
        conclusion(model),
        h(
            'p',
            { class: 'brief', id: 'brief' },
            ...['CPU', 'engine']
                .filter((key) => fact(key)) // the CPU time of an imported run is not known
                .map((key) => h('span', {}, `${key} ${fact(key)}`)),
        ),
        ...model.facts
            .filter(([key]) => key === 'warning')
            .map(([, text]) => h('p', { class: 'warning', role: 'note' }, `⚠ ${text}`)),
        note && h('p', { class: 'hint', id: 'coarsened' }, note),
        h('details', { id: 'facts' }, h('summary', {}, 'How this was measured'), facts(model)),
    );
}

function chip(filter) {
    return h(
        'li',
        { class: 'chip' },
        h('span', { class: 'what' }, filter.title),
        ' ',
        filter.text,
        h(
            'button',
            {
                type: 'button',
                'aria-label': `remove the filter ${filter.title} ${filter.text}`,
                onclick: filter.remove,
            },
            '×',
        ),
    );
}

function figure(id, title, text, value) {
    return h('div', { class: 'figure' }, h('dt', {}, title), h('dd', { id, 'data-value': value }, text));
}

/** A bar of the shares of the levels. */
export function levelBar(levels, row) {
    const known = row.levels.reduce((sum, n) => sum + n, 0);
    const bar = h('div', { class: 'level-bar', role: 'img' });
    if (!known) {
        bar.setAttribute('aria-label', 'no load with a known level');
        return bar;
    }
    const words = levels.map(({ name, level }) => `${name} ${format.percent(row.levels[level] / known)}`);
    levels.forEach(({ level }, i) =>
        bar.append(
            h(
                'span',
                {
                    style: {
                        width: `${(row.levels[level] / known) * 100}%`,
                        background: ACCESS_COLOURS[level],
                    },
                    title: words[i],
                },
                row.levels[level] / known > 0.09 ? words[i] : '',
            ),
        ),
    );
    bar.setAttribute('aria-label', words.join(', '));
    return bar;
}

/** The bar that stays visible: filters, and the sums of the samples that pass; tools beside the filters. */
export function selectionView(app, tools, panels) {
    const { model, selection } = app;
    const chips = h('ul', { class: 'chips', 'aria-label': 'active filters' });
    const figures = h('dl', { class: 'figures' });
    const reset = h('button', { type: 'button', id: 'reset', onclick: () => selection.clear() }, 'Reset');
    const element = h(
        'section',
        { class: 'selection', 'aria-label': 'selection', 'aria-live': 'polite' },
        h('div', { class: 'row' }, chips, h('div', { class: 'tools' }, ...tools, reset)),
        figures,
        panels,
    );
    const update = ({ total }) => {
        const filters = selection.filters();
        chips.replaceChildren(
            ...(filters.length
                ? filters.map(chip)
                : [
                      h(
                          'li',
                          { class: 'none' },
                          'Everything is shown. Select in any picture to filter all others.',
                      ),
                  ]),
        );
        reset.disabled = filters.length === 0;
        if (!hasTime(model.whole)) {
            const share = format.percent(total.samples / model.whole.samples);
            figures.replaceChildren(
                figure('sum-samples', 'samples', `${format.count(total.samples)} (${share})`, total.samples),
            );
            return;
        }
        const known = total.levels.reduce((sum, n) => sum + n, 0);
        figures.replaceChildren(
            figure(
                'sum-time',
                'time',
                `${format.time(total.timeNs)} (${format.percent(total.timeNs / model.whole.timeNs)})`,
                total.timeNs,
            ),
            figure(
                'sum-stall',
                'stall, about',
                `${format.time(total.stallNs)} (${format.percent(total.stallNs / model.whole.stallNs)})`,
                total.stallNs,
            ),
            figure('sum-samples', 'samples', format.count(total.samples), total.samples),
            figure(
                'sum-latency',
                'average latency',
                format.cycles(total.latency / total.measured),
                total.latency / total.measured,
            ),
            h(
                'div',
                { class: 'figure wide' },
                h('dt', {}, known ? `served by (of ${format.shortCount(known)} loads)` : 'served by'),
                h('dd', {}, levelBar(model.levels, total)),
            ),
        );
    };
    return { element, update };
}

/** Legend of the colours of kinds of access. */
export function accessLegend(model) {
    return h(
        'ul',
        { class: 'legend' },
        ...model.labels.access.map((label, a) =>
            h('li', {}, h('i', { style: { background: ACCESS_COLOURS[a] } }), label),
        ),
    );
}
