// SPDX-License-Identifier: BSD-3-Clause
// Sunburst and treemap of the tree.
import { makeChart } from './chart.js';
import { css, inkOn, shade } from './colours.js';
import { h } from './dom.js';
import { themeColours } from './theme.js';
import { hideTip, showTip } from './tip.js';
import { describe } from './tree.js';

const SMALLEST = 0.002; // share of the whole: smaller pieces are not drawn

function piece(app, row, parts, whole) {
    const rgb = shade(parts.of(row));
    const children = row.children.filter((child) => child.size >= SMALLEST * whole);
    const selected = app.selection.node === row.n;
    return {
        name: row.label,
        value: row.size,
        n: row.n, // not the row: ECharts copies its data, and rows point at each other
        children: children.length ? children.map((child) => piece(app, child, parts, whole)) : undefined,
        itemStyle: {
            color: rgb ? css(rgb) : '#999999',
            borderColor: selected ? app.colours.accent : app.colours.panel,
            borderWidth: selected ? 3 : 1,
        },
        label: { color: rgb ? inkOn(rgb) : '#000' },
    };
}

function round(app, stage, series) {
    const element = h('div', {
        class: 'chart tall',
        role: 'img',
        'aria-label': 'tree of data; the icicle can be walked with the keyboard',
    });
    stage.append(element);
    const { chart, draw, dispose } = makeChart(element);
    let byNode = new Map();
    const rowOf = (event) => byNode.get(event.data?.n);
    chart.on('click', (event) => rowOf(event) && app.selection.selectNode(event.data.n));
    chart.on('mousemove', (event) => {
        const pointer = event.event.event;
        if (rowOf(event)) showTip(describe(app, rowOf(event)), pointer.clientX, pointer.clientY);
    });
    chart.on('mouseout', hideTip);
    return {
        update(rows, parts) {
            app.colours = themeColours();
            byNode = new Map(rows.map((row) => [row.n, row]));
            const root = rows[0];
            const data = root ? root.children.map((row) => piece(app, row, parts, root.size)) : [];
            draw({ series: [{ ...series(app.colours), data }] });
        },
        dispose,
    };
}

export function sunburst(app, stage) {
    return round(app, stage, () => ({
        type: 'sunburst',
        radius: ['12%', '96%'],
        nodeClick: false,
        sort: null,
        label: { rotate: 'radial', minAngle: 8, overflow: 'truncate', width: 90 },
        emphasis: { focus: 'none' },
    }));
}

export function treemap(app, stage) {
    return round(app, stage, (colours) => ({
        type: 'treemap',
        roam: false,
        nodeClick: false,
        breadcrumb: { show: false },
        left: 0,
        right: 0,
        top: 0,
        bottom: 0,
        visibleMin: 30,
        label: { overflow: 'truncate' },
        upperLabel: { show: true, height: 18, color: colours.ink, overflow: 'truncate' },
        levels: [{ itemStyle: { gapWidth: 2 } }, { itemStyle: { gapWidth: 1 } }],
    }));
}
