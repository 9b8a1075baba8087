// SPDX-License-Identifier: BSD-3-Clause
// The semantic tree: data in data. One panel, several pictures of the same rows.
import { choice, h, panel, tabs } from './dom.js';
import * as format from './format.js';
import { costLines, hasTime, sizesOf } from './metrics.js';
import { SUMS_HEAD, sumsCells } from './save.js';
import { icicle } from './tree_icicle.js';
import { treeTable } from './tree_table.js';
import { sunburst, treemap } from './tree_round.js';
import { scaleBar } from './scalebar.js';

const PICTURES = { icicle, sunburst, treemap, table: treeTable };

/** Children with samples or time. The node "unregistered" is left out where nothing is registered. */
function childrenOf(model, sums, n) {
    const children = model.nodes.children[n].filter((child) => sums.has(child));
    if (n !== 0 || !isBare(model)) return children;
    return children.flatMap((child) =>
        model.nodes.kind[child] === 'unregistered'
            ? model.nodes.children[child].filter((below) => sums.has(below))
            : [child],
    );
}

/** Does the whole run have only unregistered memory? */
function isBare(model) {
    return model.nodes.children[0].every(
        (child) => model.nodes.kind[child] === 'unregistered' || child === model.nodes.noData,
    );
}

/** Visible rows, depth first, the largest first. */
export function treeRows(app, sums) {
    const { model, size } = app;
    const rows = [];
    const visit = (n, depth, parent) => {
        const row = { n, depth, parent, label: model.nodes.label[n], sums: sums.row(n), children: [] };
        row.size = Math.max(0, row.sums[size]) || 0;
        rows.push(row);
        parent?.children.push(row);
        childrenOf(model, sums, n)
            .sort((a, b) => sums[size][b] - sums[size][a] || a - b)
            .forEach((child) => visit(child, depth + 1, row));
    };
    if (model.nodes.len > 0 && sums.has(0)) visit(0, 0, null);
    return rows;
}

/** The metric of rows as fractions of its scale: shares of levels from 0 to 1, others up to the largest
 * innermost piece, so that pieces can be distinguished; containing nodes may exceed it. */
export function colourParts(app, rows) {
    const { metric } = app;
    const values = rows.map((row) => metric.of(row.sums));
    const finite = (value, i) => Number.isFinite(value) && rows[i].children.length === 0;
    const largest = Math.max(0, ...values.filter(finite)) || 1;
    const top = metric.isLevel ? 1 : largest;
    return {
        top,
        isOpen: values.some((value) => value > top * 1.0001),
        of: (row) => Math.min(1, metric.of(row.sums) / top),
    };
}

/** Text of a node for tooltips and screen readers. */
export function describe(app, row) {
    const { model } = app;
    const { sums, n } = row;
    const error = model.nodes.timeError[n];
    const margin = app.selection.isEmpty() && error !== null ? ` ±${(error * 100).toFixed(1)}` : '';
    const lines = [[model.nodes.path[n], model.nodes.kind[n]], ...costLines(model.whole, sums, margin)];
    const known = sums.levels.reduce((sum, count) => sum + count, 0);
    if (known)
        lines.push([
            'served by',
            model.levels
                .map(({ name, level }) => `${name} ${format.percent(sums.levels[level] / known)}`)
                .join(', '),
        ]);
    if (model.nodes.bytes[n]) lines.push(['size', format.bytes(model.nodes.bytes[n])]);
    return lines;
}

/** The end of the scale marks values beyond it. */
function printer(metric, parts) {
    return (value) =>
        parts.isOpen && value === parts.top ? `≥ ${metric.format(value)}` : metric.format(value);
}

export function treeView(app) {
    const { model } = app;
    const { element, controls, body, note } = panel(
        'tree',
        'Data',
        hasTime(model.whole)
            ? 'Which data the program waits for. Select a piece to see only its accesses everywhere.'
            : 'Which data the samples are of. Select a piece to see only its samples everywhere.',
    );
    const metrics = app.metrics.map((metric) => [metric.id, metric.title]);
    const sizes = sizesOf(model.whole).map((id) => [
        id,
        app.metrics.find((metric) => metric.id === id).title,
    ]);
    let kind = 'icicle';
    let picture = null;
    const legend = h('div', { class: 'scale' });
    const stage = h('div', { class: 'stage' });
    const show = () => {
        picture?.dispose?.();
        stage.replaceChildren();
        picture = PICTURES[kind](app, stage);
        update(app.result);
    };
    controls.append(
        tabs(
            'picture',
            [
                ['icicle', 'Icicle'],
                ['sunburst', 'Sunburst'],
                ['treemap', 'Treemap'],
                ['table', 'Table'],
            ],
            kind,
            (value) => {
                kind = value;
                show();
            },
        ),
        choice('colour', metrics, app.metric.id, (id) => app.setMetric(id)),
        choice('area', sizes, app.size, (id) => app.setSize(id)),
    );
    body.append(stage, legend);
    const update = (result) => {
        const rows = treeRows(app, result.node);
        const parts = colourParts(app, rows);
        picture ??= PICTURES[kind](app, stage);
        picture.update(rows, parts);
        legend.replaceChildren(
            kind === 'table' ? '' : scaleBar(0, parts.top, printer(app.metric, parts), app.metric.title),
        );
        note.title = app.metric.text;
    };
    const table = () => ({
        head: ['data', 'kind', ...SUMS_HEAD],
        rows: treeRows(app, app.result.node).map(({ n, sums }) => [
            model.nodes.path[n],
            model.nodes.kind[n],
            ...sumsCells(sums),
        ]),
    });
    return { element, update, redraw: show, table };
}
