// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a job: a heat map of ranks and data, ranks that differ from the others, and the machines, as in
// `loadstone report --by rank`. A column of the map may hold several ranks; it shows the highest of them.
import { css, shade } from './colours.js';
import { choice, h, panel } from './dom.js';
import * as format from './format.js';
import { hideTip, showTip } from './tip.js';

const ROW = 18; // pixels
const MACHINES = 20;
const KINDS = { stall: 'waits for it', time: 'takes', wait: 'waits in MPI' };

const mostOf = ({ values }) => values.reduce((most, value) => Math.max(most, value), 0);

/** One row of the map: a picture with a pixel for each column, which the page stretches. */
function strip(ranks, metric, most) {
    const columns = ranks.firsts.length;
    const canvas = h('canvas', {
        width: columns,
        height: 1,
        role: 'img',
        'aria-label': `${metric.name} by rank: at most ${format.time(mostOf(metric))}, median ${format.time(metric.medianNs)}`,
    });
    const context = canvas.getContext('2d');
    metric.values.forEach((value, column) => {
        context.fillStyle = css(shade(most > 0 ? value / most : 0));
        context.fillRect(column, 0, 1, 1);
    });
    canvas.addEventListener('pointermove', (event) => {
        const { left, width } = canvas.getBoundingClientRect();
        const column = Math.min(
            columns - 1,
            Math.floor((Math.max(0, event.clientX - left) / width) * columns),
        );
        showTip(
            [
                [metric.name, ranks.labels[column]],
                [
                    `rank ${format.count(metric.ranks[column])} ${KINDS[metric.kind]}`,
                    format.time(metric.values[column]),
                ],
                ['median of all ranks', format.time(metric.medianNs)],
            ],
            event.clientX,
            event.clientY,
        );
    });
    canvas.addEventListener('pointerleave', hideTip);
    return canvas;
}

function heatMap(ranks, isCommon) {
    const most = Math.max(...ranks.metrics.map(mostOf));
    const rows = ranks.metrics.map((metric) =>
        h(
            'tr',
            {},
            h('th', { scope: 'row', title: metric.name }, metric.name),
            h(
                'td',
                { class: 'strip', style: { height: `${ROW}px` } },
                strip(ranks, metric, isCommon ? most : mostOf(metric)),
            ),
            h('td', { class: 'number' }, format.time(mostOf(metric))),
        ),
    );
    const head = (text, kind) => h('th', { scope: 'col', class: kind }, text);
    const order = ranks.machinesLen > 1 ? ', by machine' : '';
    const span = `ranks ${format.count(ranks.firsts[0])} to ${format.count(ranks.last)}${order}`;
    return h(
        'table',
        { class: 'heat' },
        h(
            'thead',
            {},
            h(
                'tr',
                {},
                head(ranks.hasStall ? 'stall by data' : 'time by data'),
                head(span),
                head('highest', 'number'),
            ),
        ),
        h('tbody', {}, ...rows),
    );
}

function outlierText({ rank, host, name, isData, ns, medianNs }, hasStall) {
    const times = ns / medianNs;
    const factor = !Number.isFinite(times)
        ? 'alone'
        : times >= 1
          ? `${format.digits(times)} times as long`
          : `only ${format.digits(times)} times as long`;
    const verb = isData
        ? hasStall
            ? 'waits'
            : 'spends time'
        : name === 'MPI'
          ? 'waits in MPI'
          : 'takes CPU time';
    const object = isData ? ` for ${name}` : '';
    return `rank ${rank} (${host}) ${verb} ${factor}${object} as the median: ${format.time(ns)}, ${format.time(medianNs)}`;
}

function outlierList(ranks) {
    if (ranks.outliers.length === 0) return h('p', {}, 'No rank is far from the others.');
    return h(
        'ul',
        { class: 'outliers', 'aria-label': 'outliers' },
        ...ranks.outliers.map((outlier) => h('li', {}, outlierText(outlier, ranks.hasStall))),
    );
}

function machineTable(ranks) {
    const heads = ['machine', 'ranks', 'time a rank', 'stall', 'MPI waits', 'most time'];
    const number = (text) => h('td', { class: 'number' }, text);
    const rows = ranks.machines
        .slice(0, MACHINES)
        .map((m) =>
            h(
                'tr',
                {},
                h('td', {}, m.host),
                number(m.len > 1 ? `${m.len}: ${m.first} to ${m.last}` : String(m.first)),
                number(format.time(m.timeNs)),
                number(format.time(m.stallNs)),
                number(format.time(m.waitNs)),
                number(`${format.time(m.mostNs)}, rank ${m.most}`),
            ),
        );
    const rest = ranks.machinesLen - rows.length;
    return h(
        'div',
        { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'machines' },
        h(
            'table',
            { class: 'machines' },
            h(
                'thead',
                {},
                h('tr', {}, ...heads.map((head, i) => h('th', { class: i ? 'number' : undefined }, head))),
            ),
            h('tbody', {}, ...rows),
        ),
        rest > 0 ? h('p', { class: 'hint' }, `${format.count(rest)} more, whose ranks take less time`) : null,
    );
}

export function ranksView(app) {
    const { ranks } = app.model;
    const { element, controls, body } = panel(
        'ranks',
        'Ranks',
        'The data that the ranks of the job wait for; a column is a rank, or the highest of several neighbours. They describe the whole run; filters do not change them.',
    );
    element.hidden = !ranks;
    if (!ranks) return { element, update() {} };
    const map = h('div', {});
    const show = (scale) => map.replaceChildren(heatMap(ranks, scale === 'all'));
    const scales = [
        ['row', 'highest of each row'],
        ['all', 'highest of all rows'],
    ];
    controls.append(choice('full colour', scales, 'row', show));
    show('row');
    const known = Number.isFinite(ranks.jobLen) ? ` of ${format.count(ranks.jobLen)}` : '';
    const machines = ranks.machinesLen === 1 ? '1 machine' : `${format.count(ranks.machinesLen)} machines`;
    body.append(
        h('p', {}, `${format.count(ranks.len)}${known} ranks on ${machines}`),
        map,
        h('div', { class: 'below' }, outlierList(ranks), machineTable(ranks)),
    );
    const table = () => ({
        head: [
            'first_rank',
            ...ranks.metrics.flatMap(({ name, kind }) => [`${name} (${kind}_ns)`, 'of rank']),
        ],
        rows: ranks.firsts.map((first, column) => [
            first,
            ...ranks.metrics.flatMap((metric) => [metric.values[column], metric.ranks[column]]),
        ]),
    });
    return { element, update() {}, table };
}
