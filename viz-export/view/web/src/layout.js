// SPDX-License-Identifier: BSD-3-Clause
// The members of the types that are accessed most, as in `loadstone report --layout`: places, holes, cache lines, the
// time and waiting of each member, members that are accessed together, and a better order or split.
import { choice, h, panel } from './dom.js';
import * as format from './format.js';

const LINE_BYTES = 64;
const PAIRS = 5;

function bar(share, kind) {
    if (!Number.isFinite(share)) return h('td', {});
    const part = h('span', { class: `part ${kind}`, style: { width: `${Math.min(1, share) * 4}rem` } });
    return h('td', {}, part, format.percent(share));
}

/** "double r[3]" */
function nameOf({ path, type, elem_len_bytes: elementBytes, len_bytes: bytes }) {
    const name = path.split('.').at(-1);
    if (!elementBytes || !name) return `${type} ${name}`.trim();
    return `${type.replace(/\[.*/, '')} ${name.replace(/\[.*/, '')}[${bytes / elementBytes}]`;
}

/** Which members stay together in the proposed split, and which move. */
function placesOf(layout) {
    const places = new Map();
    if (!layout.split?.is_better) return places;
    layout.split.members.forEach((path) => places.set(path, 'keep'));
    layout.split.moved.forEach((path) => places.set(path, 'move'));
    return places;
}

function note(text) {
    return h('tr', { class: 'between' }, h('td', { colspan: 9 }, text));
}

function memberRow(member, place) {
    const name = nameOf(member);
    const { L1, L2, L3, DRAM } = member.levels;
    const far = (L3 + DRAM) / (L1 + L2 + L3 + DRAM);
    const number = (text) => h('td', { class: 'number' }, text);
    return h(
        'tr',
        { class: member.is_cold ? 'cold' : undefined },
        number(format.count(member.offset_bytes)),
        number(format.count(member.len_bytes)),
        h('td', { class: 'member', style: { paddingLeft: `${member.depth}rem` }, title: name }, name),
        bar(member.samples ? (member.time.share ?? NaN) : NaN, 'time'),
        bar(member.samples ? (member.stall.share ?? NaN) : NaN, 'stall'),
        number(member.seen_loads ? format.shortCount(member.seen_loads) : ''),
        number(member.seen_stores ? format.shortCount(member.seen_stores) : ''),
        number(Number.isFinite(far) ? format.percent(far) : ''),
        h('td', {}, place ?? (member.is_cold ? 'cold' : '')),
    );
}

/** Members of the type with the holes and the begins of cache lines between them. */
function memberTable(layout) {
    const places = placesOf(layout);
    const rows = [];
    let end = 0;
    let line = 1;
    for (const member of layout.members) {
        if (member.depth === 1) {
            if (member.offset_bytes > end) rows.push(note(`${member.offset_bytes - end} bytes unused`));
            while (member.offset_bytes >= line * LINE_BYTES) {
                if (member.offset_bytes < (line + 1) * LINE_BYTES)
                    rows.push(note(`cache line ${line}, from byte ${line * LINE_BYTES} on`));
                line++;
            }
            end = Math.max(end, member.offset_bytes + member.len_bytes);
        }
        rows.push(memberRow(member, member.depth === 1 ? places.get(member.path) : undefined));
    }
    if (layout.members.length > 1 && layout.len_bytes > end)
        rows.push(note(`${layout.len_bytes - end} bytes unused`));
    const heads = ['offset', 'size', 'member', 'time', 'stall', 'loads', 'stores', 'beyond L2', 'split'];
    return h(
        'table',
        { class: 'members' },
        h('thead', {}, h('tr', {}, ...heads.map((head) => h('th', {}, head)))),
        h('tbody', {}, ...rows),
    );
}

const perVisit = (order, layout) =>
    `${format.digits(order.lines_per_visit)} lines per visit instead of ${format.digits(layout.lines_per_visit)}`;

function walkText(layout) {
    const part = layout.visits_in_runs / layout.whole_visits;
    const runs = layout.objects_per_run === null ? 'many' : `some ${format.digits(layout.objects_per_run)}`;
    if (part < 0.1) return 'to objects in random order';
    return `${format.percent(part)} to runs of ${runs} neighbouring objects`;
}

function splitText({ split }) {
    const where = split.has_pointer ? 'separate objects' : 'another array, with the same index';
    return `keep ${split.members.join(', ')} (${split.len_bytes} bytes), move ${split.moved.join(', ')} to ${where}`;
}

function facts(layout) {
    const rows = [
        ['visits', `${format.count(layout.visits)}, ${walkText(layout)}`],
        [
            'lines',
            `${format.digits(layout.lines_per_visit)} per visit, ${format.digits(layout.bytes_used_per_line)} bytes of each are used`,
        ],
    ];
    layout.together
        .slice(0, PAIRS)
        .forEach(({ a, b, visits, visits_a, visits_b }, i) =>
            rows.push([
                i ? '' : 'together',
                `${a} and ${b}: ${format.percent(visits / (visits_a + visits_b - visits))}`,
            ]),
        );
    if (layout.order?.is_better)
        rows.push(['order', `${layout.order.members.join(', ')}: ${perVisit(layout.order, layout)}`]);
    if (layout.split?.is_better)
        rows.push(['split', `${splitText(layout)}: ${perVisit(layout.split, layout)}`]);
    if (layout.order && !layout.order.is_better && !layout.split.is_better)
        rows.push(['order', 'no other order, and no split, touches a tenth fewer lines']);
    return h(
        'dl',
        { class: 'facts' },
        ...rows.flatMap(([key, text]) => [h('dt', {}, key), h('dd', {}, text)]),
    );
}

export function layoutView(app) {
    const { layouts } = app.model;
    const { element, controls, body } = panel(
        'layout',
        'Members of types',
        'The types whose members are accessed most: share of the time and the stall of each member, and an order or a split that touches fewer cache lines. They describe the whole run; filters do not change them.',
    );
    element.hidden = layouts.length === 0;
    if (layouts.length === 0) return { element, update() {} };
    let layout;
    function show(i) {
        layout = layouts[i];
        const head = `${format.count(layout.len_bytes)} bytes, ${format.percent(layout.members[0].time.share ?? NaN)} of the time, ${format.percent(layout.members[0].stall.share ?? NaN)} of the stall`;
        body.replaceChildren(
            h('p', {}, head),
            h('div', { class: 'scroll' }, memberTable(layout)),
            facts(layout),
        );
    }
    controls.append(
        choice(
            'type',
            layouts.map(({ type }, i) => [String(i), type]),
            '0',
            (value) => show(Number(value)),
        ),
    );
    show(0);
    const columns = ['path', 'type', 'offset_bytes', 'len_bytes', 'seen_loads', 'seen_stores'];
    const table = () => {
        const places = placesOf(layout);
        return {
            head: [...columns, 'time_share', 'stall_share', 'split'],
            rows: layout.members.map((member) => [
                ...columns.map((key) => member[key]),
                member.time.share,
                member.stall.share,
                places.get(member.path) ?? '',
            ]),
        };
    };
    return { element, update() {}, table };
}
