// SPDX-License-Identifier: BSD-3-Clause
// The patterns of instructions on pieces of data, as found by `loadstone patterns`, the costliest first. For
// the selected one its indices in order, its most frequent distances, its measures.
import { h, panel } from './dom.js';
import * as format from './format.js';

const WIDTH = 560;
const HEIGHT = 190;
const LEFT = 64;
const BOTTOM = 26;
const SVG = 'http://www.w3.org/2000/svg';

function svg(tag, attributes, ...children) {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
    element.append(...children);
    return element;
}

const spread = (values) =>
    values.reduce(([low, high], v) => [Math.min(low, v), Math.max(high, v)], [values[0], values[0]]);

/** Indices in their order: a point each, all in one path. */
function picture(pattern) {
    const { indices, step } = pattern;
    const [low, high] = spread(indices);
    const x = (i) => LEFT + ((WIDTH - LEFT - 8) * i) / Math.max(1, indices.length - 1);
    const y = (v) => 8 + (HEIGHT - BOTTOM - 14) * (high > low ? (high - v) / (high - low) : 0.5);
    const path = indices.map((v, i) => `M${x(i).toFixed(1)} ${y(v).toFixed(1)}h0`).join('');
    const word = (tx, ty, anchor, value) => svg('text', { x: tx, y: ty, 'text-anchor': anchor }, value);
    const label = `indices of the pattern in order: ${format.count(pattern.len)} from ${format.count(low)} to ${format.count(high)}`;
    return svg(
        'svg',
        { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': label, class: 'indices' },
        svg('path', { class: 'axis', d: `M${LEFT} 4V${HEIGHT - BOTTOM}H${WIDTH}` }),
        svg('path', { class: 'dots', d: path, 'stroke-width': indices.length > 200 ? 2.5 : 5 }),
        word(LEFT - 6, 14, 'end', format.count(high)),
        word(LEFT - 6, HEIGHT - BOTTOM - 2, 'end', high > low ? format.count(low) : ''),
        word(LEFT, HEIGHT - 8, 'start', 'place in the pattern: 0'),
        word(WIDTH - 4, HEIGHT - 8, 'end', format.count((indices.length - 1) * step)),
    );
}

function distances(pattern) {
    const all = Math.max(1, pattern.len - 1);
    const rows = pattern.distances.map(([distance, times]) =>
        h(
            'tr',
            {},
            h('td', { class: 'number' }, String(distance)),
            h('td', {}, h('span', { class: 'part', style: { width: `${(8 * times) / all}rem` } })),
            h('td', { class: 'number' }, format.percent(times / all)),
        ),
    );
    const rest = pattern.distancesLen - pattern.distances.length;
    const note = rest > 0 ? [h('p', { class: 'hint' }, `${format.count(rest)} more distances`)] : [];
    const head = h('caption', {}, 'distance to the next index, elements');
    return h('div', {}, h('table', { class: 'distances' }, head, h('tbody', {}, ...rows)), ...note);
}

function repeats(pattern) {
    if (pattern.count <= 1) return 'once';
    const by =
        pattern.delta === null ? 'by alternating distances' : `by ${format.count(pattern.delta)} elements`;
    return `${format.count(pattern.count)} times, moved ${by}`;
}

function facts(pattern) {
    const rows = [
        ['class', pattern.class],
        ['form', `${pattern.form}: ${pattern.formText}`],
        ['indices', `${format.count(pattern.len)}, ${repeats(pattern)}`],
        [
            'accesses',
            `${format.count(pattern.accesses)} in ${format.count(pattern.threads)} ${pattern.threads === 1 ? 'thread' : 'threads'}, ${format.percent(pattern.accessShare)}`,
        ],
        ['elements', pattern.elementBytes ? `of ${format.bytes(pattern.elementBytes)}` : 'of unknown size'],
        ['touches', format.bytes(pattern.footprintBytes)],
        [
            'locality',
            `spatial ${format.digits(pattern.spatial ?? NaN)}, temporal ${format.digits(pattern.temporal ?? NaN)}`,
        ],
        ['entropy', `${format.digits(pattern.entropyBits ?? NaN)} bits a distance`],
        ['lines', `${format.percent(pattern.lineUtilisation ?? NaN)} of their bytes are used`],
    ];
    if (pattern.measuredPart != null)
        rows.push([
            'measured',
            `the first ${format.count(pattern.measuredPart)} accesses, which were kept (but for what it touches)`,
        ]);
    return h(
        'dl',
        { class: 'facts' },
        ...rows.flatMap(([key, text]) => [h('dt', {}, key), h('dd', {}, text)]),
    );
}

export function patternsView(app) {
    const { patterns } = app.model;
    const { element, body } = panel(
        'patterns',
        'Access patterns',
        'Access patterns of instructions on pieces of data, the costliest first: indices of elements in order. They describe the whole run; filters do not change them.',
    );
    element.hidden = patterns.length === 0;
    if (patterns.length === 0) return { element, update() {} };
    const order = patterns
        .map((_, i) => i)
        .sort((a, b) => patterns[b].costShare - patterns[a].costShare || a - b);
    const detail = h('div', { class: 'pattern' });
    const buttons = order.map((i) => {
        const pattern = patterns[i];
        return h(
            'button',
            { type: 'button', 'data-pattern': i, onclick: () => show(i) },
            h('span', { class: 'bar', style: { width: `${Math.min(1, pattern.costShare || 0) * 100}%` } }),
            h('span', { class: 'name', title: pattern.where }, pattern.where),
            h('span', { class: 'amount' }, format.percent(pattern.costShare ?? NaN)),
        );
    });
    const list = h(
        'ul',
        { class: 'barlist', 'aria-label': 'patterns' },
        ...buttons.map((b) => h('li', {}, b)),
    );
    function show(i) {
        buttons.forEach((b) =>
            b.setAttribute('aria-pressed', b.dataset.pattern === String(i) ? 'true' : 'false'),
        );
        detail.replaceChildren(
            h('div', {}, picture(patterns[i]), distances(patterns[i])),
            facts(patterns[i]),
        );
    }
    body.append(list, detail);
    show(order[0]);
    const columns = Object.keys(patterns[0]).filter((key) => !Array.isArray(patterns[0][key]));
    const table = () => ({
        head: [...columns, 'indices'],
        rows: order.map((i) => [...columns.map((key) => patterns[i][key]), patterns[i].indices.join(' ')]),
    });
    return { element, update() {}, table };
}
