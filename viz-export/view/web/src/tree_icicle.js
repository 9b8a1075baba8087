// SPDX-License-Identifier: BSD-3-Clause
// An icicle from left to right: containing nodes are further left, heights are the sizes. It is also the tree
// for the keyboard: arrow keys move, Enter selects, Escape selects everything.
import { h } from './dom.js';
import { css, inkOn, shade } from './colours.js';
import { describe } from './tree.js';
import { tipOn } from './tip.js';
import { walkTree } from './treekeys.js';

const HEIGHT = 380;
const LABEL_MIN = 13;
const VISIBLE_MIN = 1;
const ROOT_WIDTH = 0.4; // width relative to the other columns

function column(depth, columns) {
    if (depth === 0) return { left: 0, width: ROOT_WIDTH / columns };
    return { left: (depth - 1 + ROOT_WIDTH) / columns, width: 1 / columns };
}

/** Rectangles: [row, left, top, width, height] in parts of 1. */
function layOut(rows) {
    const columns = Math.max(...rows.map((row) => row.depth)) + ROOT_WIDTH; // the root is narrow
    const out = [];
    const visit = (row, top, height) => {
        const { left, width } = column(row.depth, columns);
        out.push({ row, left, width: row.children.length ? width : 1 - left, top, height });
        let at = top;
        // children are never higher than their parent, also where a coarse counter made their sum larger
        const scale =
            height / Math.max(row.size, row.children.reduce((sum, child) => sum + child.size, 0) || 1);
        row.children.forEach((child) => {
            visit(child, at, child.size * scale);
            at += child.size * scale;
        });
    };
    if (rows.length) visit(rows[0], 0, 1);
    return out;
}

function box(app, place, parts) {
    const { row } = place;
    const height = place.height * HEIGHT;
    const rgb = shade(parts.of(row));
    const words = describe(app, row);
    const element = h(
        'div',
        {
            class: 'box',
            role: 'treeitem',
            tabindex: -1,
            'aria-level': row.depth + 1,
            'aria-selected': app.selection.node === row.n ? 'true' : 'false',
            'aria-expanded': row.children.length ? 'true' : undefined,
            'aria-label': words.map(([key, text]) => `${key}: ${text}`).join('; '),
            'data-node': app.model.nodes.id[row.n],
            style: {
                left: `${place.left * 100}%`,
                top: `${place.top * HEIGHT}px`,
                width: `${place.width * 100}%`,
                height: `${Math.max(VISIBLE_MIN, height)}px`,
                background: rgb ? css(rgb) : 'var(--unknown)',
                color: rgb ? inkOn(rgb) : 'var(--ink)',
            },
        },
        height >= LABEL_MIN ? h('span', { class: 'label' }, row.label) : '',
        height >= 2.4 * LABEL_MIN
            ? h('span', { class: 'value' }, app.metric.format(app.metric.of(row.sums)))
            : '',
    );
    element.addEventListener('click', () => app.selection.selectNode(row.n));
    tipOn(element, () => words);
    return element;
}

export function icicle(app, stage) {
    const tree = h('div', {
        class: 'icicle',
        role: 'tree',
        'aria-label': 'data',
        style: { height: `${HEIGHT}px` },
    });
    const keys = walkTree(app, tree, { select: (row) => app.selection.selectNode(row ? row.n : null) });
    stage.append(tree);
    return {
        update(rows, parts) {
            if (rows.length === 0) {
                tree.replaceChildren(h('p', { class: 'empty' }, 'No sample passes these filters.'));
                return;
            }
            const items = layOut(rows).map((place) => ({ row: place.row, element: box(app, place, parts) }));
            tree.replaceChildren(...items.map((item) => item.element));
            keys.update(items);
        },
    };
}
