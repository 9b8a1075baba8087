// SPDX-License-Identifier: BSD-3-Clause
// Stacked bars over an axis of bins, with a selectable range: latencies, slices of time.
import { makeChart } from './chart.js';
import { h } from './dom.js';
import { rangeOn } from './range.js';
import { themeColours } from './theme.js';
import { hideTip, showTip } from './tip.js';

const GRID = { left: 62, right: 14, top: 26, bottom: 42 };

/**
 * names of the bins; stack: [{name, colour, values}]; bands: [{name, from, to}], drawn below the bars; axis,
 * unit: titles; print: formats a value; tip(bin): lines.
 */
export function barsChart(label, dimension, app, len) {
    const element = h('div', { class: 'chart', 'aria-label': label });
    const { draw } = makeChart(element);
    const width = () => element.clientWidth - GRID.left - GRID.right;
    const at = (x) => Math.min(len - 1, Math.max(0, Math.floor(((x - GRID.left) / width()) * len)));
    let tip = null;
    const range = rangeOn(element, {
        at,
        len,
        get: () => app.selection.ranges[dimension],
        set: (value) => app.selection.selectRange(dimension, value),
        text: () => app.selection.rangeText(dimension),
    });
    element.addEventListener('pointermove', (event) => {
        const x = event.clientX - element.getBoundingClientRect().left;
        if (tip && x >= GRID.left && x <= GRID.left + width())
            showTip(tip(at(x)), event.clientX, event.clientY);
        else hideTip();
    });
    element.addEventListener('pointerleave', hideTip);
    const update = (content) => {
        const colours = themeColours();
        const selected = app.selection.ranges[dimension];
        const opacity = (i) => (selected && (i < selected[0] || i > selected[1]) ? 0.25 : 1);
        tip = content.tip;
        draw({
            grid: GRID,
            xAxis: {
                type: 'category',
                data: content.names,
                name: content.axis,
                nameLocation: 'middle',
                nameGap: 26,
                nameTextStyle: { color: colours.faint },
                axisLabel: {
                    color: colours.faint,
                    fontSize: 12,
                    interval: content.interval ?? 'auto',
                    hideOverlap: true,
                },
                axisLine: { lineStyle: { color: colours.line } },
                axisTick: { show: false },
            },
            yAxis: {
                type: 'value',
                name: content.unit,
                nameTextStyle: { color: colours.faint, align: 'left', padding: [0, 0, 0, -50] },
                axisLabel: { color: colours.faint, fontSize: 12, formatter: content.print },
                splitLine: { lineStyle: { color: colours.line } },
                splitNumber: 4,
            },
            series: content.stack.map((part, s) => ({
                type: 'bar',
                name: part.name,
                stack: 'all',
                silent: true,
                barCategoryGap: '8%',
                itemStyle: { color: part.colour },
                data: Array.from(part.values, (value, i) => ({
                    value,
                    itemStyle: { opacity: opacity(i) },
                })),
                markArea: s === 0 && content.bands ? bandArea(content.bands, colours) : undefined,
            })),
        });
        range.update();
    };
    return { element, update };
}

function bandArea(bands, colours) {
    return {
        silent: true,
        label: { color: colours.ink, position: 'insideTop', fontWeight: 'bold', distance: -18 },
        data: bands.map(({ name, from, to, colour }) => [
            { name, xAxis: from, itemStyle: { color: colour, opacity: 0.13 } },
            { xAxis: to },
        ]),
    };
}
