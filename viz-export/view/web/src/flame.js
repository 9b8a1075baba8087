// SPDX-License-Identifier: BSD-3-Clause
// Call stacks as a flame graph: below each function the functions it calls, as wide as their time; the colour is the
// part of that time that waits. A click shows one function and its callees alone.
import { css, inkOn, shade } from './colours.js';
import { h, panel } from './dom.js';
import * as format from './format.js';
import { scaleBar } from './scalebar.js';
import { tipOn } from './tip.js';
import { walkTree } from './treekeys.js';

const ROW = 18;
const SMALLEST = 0.0015; // part of the width: smaller calls are not drawn
const LABEL_MIN = 0.03;
const DROPPED = ['', 'time', 'time and line', 'time, line and thread'];

const MISSING = 'This run has no call stacks: loadstone record --callstack records them.';

/** Time and stall of each call with its callees; the last row: no call stack. */
function sumCalls(model, selection) {
    const { calls, parent, row, level } = model.stacks;
    const { masks } = selection;
    const origin = selection.choosesAccesses() ? 0 : 1;
    const timeNs = new Float64Array(calls + 1);
    const stallNs = new Float64Array(calls + 1);
    for (let i = 0; i < row.len; i++) {
        if (row.origin[i] !== origin) continue;
        if (!origin && !masks.node[row.node[i]]) continue;
        if (level < 1 && !masks.slice[row.slice[i]]) continue;
        if (level < 2 && !masks.line[row.line[i]]) continue;
        if (level < 3 && !masks.thread[row.thread[i]]) continue;
        timeNs[row.call[i]] += row.timeNs[i];
        stallNs[row.call[i]] += row.stallNs[i];
    }
    const self = { timeNs: timeNs.slice(), stallNs: stallNs.slice() };
    for (let c = calls - 1; c >= 0; c--)
        if (parent[c] >= 0) {
            timeNs[parent[c]] += timeNs[c];
            stallNs[parent[c]] += stallNs[c];
        }
    return { timeNs, stallNs, self };
}

/** "main;work;inner" */
export function stackOf({ names, name, parent }, call) {
    const out = [];
    for (let c = call; c >= 0; c = parent[c]) out.unshift(names[name[c]]);
    return out.join(';');
}

/** The rows of the picture: {n: call, -1 of all; depth, left, width, parent, children}. */
function layOut(model, sums, size, zoom) {
    const { calls, parent, children } = model.stacks;
    const tops = children[calls];
    const all = tops.reduce((sum, c) => sum + sums[size][c], 0) + sums[size][calls];
    const rows = [{ n: -1, depth: 0, left: 0, width: 1, parent: null, children: [] }];
    if (!(all > 0)) return { rows: [], all };
    const add = (n, depth, left, width, above) => {
        const row = { n, depth, left, width, parent: above, children: [] };
        above.children.push(row);
        rows.push(row);
        return row;
    };
    let top = rows[0];
    const path = [];
    for (let c = zoom; c >= 0; c = parent[c]) path.unshift(c);
    path.forEach((c) => (top = add(c, top.depth + 1, 0, 1, top)));
    const whole = zoom < 0 ? all : sums[size][zoom];
    const visit = (above) => {
        let left = above.left;
        const below = above.n < 0 ? tops : children[above.n];
        [...below]
            .sort((a, b) => sums[size][b] - sums[size][a] || a - b)
            .forEach((c) => {
                const width =
                    whole > 0 ? Math.min(sums[size][c] / whole, above.left + above.width - left) : 0;
                if (width < SMALLEST) return;
                visit(add(c, above.depth + 1, left, width, above));
                left += width;
            });
    };
    visit(top);
    return { rows, all };
}

function labelOf(model, n) {
    const { names, name } = model.stacks;
    return n < 0 ? 'all' : names[name[n]];
}

function words(model, sums, all, n) {
    const row = n < 0 ? all : { timeNs: sums.timeNs[n], stallNs: sums.stallNs[n] };
    const lines = [
        [labelOf(model, n), ''],
        ['time', `${format.percent(row.timeNs / model.whole.timeNs)}, ${format.time(row.timeNs)}`],
    ];
    if (model.whole.stallNs !== null)
        lines.push([
            'stall, about',
            `${format.percent(row.stallNs / model.whole.stallNs)}, ${format.time(row.stallNs)}`,
        ]);
    if (n >= 0) lines.push(['itself', format.time(sums.self.timeNs[n])]);
    return lines;
}

function box(app, row, content) {
    const { model, sums, all, found } = content;
    const part = row.n < 0 ? all.stallNs / all.timeNs : sums.stallNs[row.n] / sums.timeNs[row.n];
    const rgb = model.whole.stallNs === null ? null : shade(Math.min(1, part));
    const text = words(model, sums, all, row.n);
    const label = labelOf(model, row.n);
    const element = h(
        'div',
        {
            class: found(label) ? 'box found' : 'box',
            role: 'treeitem',
            tabindex: -1,
            'aria-level': row.depth + 1,
            'aria-expanded': row.children.length ? 'true' : undefined,
            'aria-label': text.map(([key, value]) => `${key}: ${value}`).join('; '),
            'data-call': row.n,
            'data-time-ns': row.n < 0 ? all.timeNs : sums.timeNs[row.n],
            'data-stall-ns': row.n < 0 ? all.stallNs : sums.stallNs[row.n],
            style: {
                left: `${row.left * 100}%`,
                top: `${row.depth * ROW}px`,
                width: `${row.width * 100}%`,
                height: `${ROW}px`,
                background: rgb ? css(rgb) : 'var(--unknown)',
                color: rgb ? inkOn(rgb) : 'var(--ink)',
            },
            onclick: () => app.zoomTo(row.n),
        },
        row.width >= LABEL_MIN ? h('span', { class: 'label' }, label) : '',
    );
    tipOn(element, () => text);
    return element;
}

/** Text that lists the filters that do not affect this picture. */
function unheard(model, selection) {
    const kinds = selection
        .filters()
        .map(({ dimension }) => dimension)
        .filter((dimension) => ['access', 'bin', 'place'].includes(dimension));
    const parts = kinds.length ? ['Filters by level, latency and place do not change it.'] : [];
    if (model.stacks.level)
        parts.push(
            `The page is too small for ${DROPPED[model.stacks.level]}: such filters do not change it.`,
        );
    return parts.join(' ');
}

export function flameView(app) {
    const { model } = app;
    const { stacks } = model;
    const hint = 'Which calls the time is spent in; the colour is the part of it that waits. Click to zoom.';
    const { element, controls, body, note } = panel('flame', 'Call stacks', hint);
    app.zoom = -1;
    app.zoomTo = () => {};
    if (stacks.calls === 0) {
        note.remove();
        element.classList.add('bare');
        body.append(h('p', { class: 'empty' }, MISSING));
        return { element, update() {} };
    }
    const out = h('button', { type: 'button', onclick: () => app.zoomTo(-1) }, 'Show all');
    const tree = h('div', { class: 'icicle', role: 'tree', 'aria-label': 'call stacks' });
    const legend = h('div', { class: 'scale' });
    const keys = walkTree(app, tree, { select: (row) => app.zoomTo(row ? row.n : -1), downwards: true });
    controls.append(out);
    body.append(h('div', { class: 'scroll' }, tree), legend);
    let sums = null;
    const update = () => {
        sums = sumCalls(model, app.selection);
        const size = app.size === 'stallNs' ? 'stallNs' : 'timeNs';
        const { rows } = layOut(model, sums, size, app.zoom);
        const tops = [...stacks.children[stacks.calls], stacks.calls];
        const total = (key) => tops.reduce((sum, c) => sum + sums[key][c], 0);
        const text = (app.searched ?? '').toLowerCase();
        const content = {
            model,
            sums,
            all: { timeNs: total('timeNs'), stallNs: total('stallNs') },
            found: (label) => text.length > 1 && label.toLowerCase().includes(text),
        };
        const items = rows.map((row) => ({ row, element: box(app, row, content) }));
        tree.style.height = `${ROW * (1 + Math.max(0, ...rows.map((row) => row.depth)))}px`;
        tree.replaceChildren(...items.map((item) => item.element));
        if (rows.length === 0) tree.append(h('p', { class: 'empty' }, 'No sample passes these filters.'));
        else keys.update(items);
        out.disabled = app.zoom < 0;
        note.textContent = [hint, unheard(model, app.selection)].join(' ').trim();
        legend.replaceChildren(
            model.whole.stallNs === null
                ? ''
                : scaleBar(0, 1, format.percent, 'stall, as a part of the time'),
        );
    };
    app.zoomTo = (call) => {
        app.zoom = call < stacks.calls ? call : -1;
        update();
        app.changed();
    };
    const table = () => ({
        head: ['stack', 'time_ns', 'stall_ns'],
        rows: Array.from({ length: stacks.calls }, (_, c) => c)
            .filter((c) => sums.self.timeNs[c] > 0 || sums.self.stallNs[c] > 0)
            .map((c) => [stackOf(stacks, c), sums.self.timeNs[c], sums.self.stallNs[c]]),
    });
    return { element, update, table };
}
