// SPDX-License-Identifier: BSD-3-Clause
// The profile in the form that the views use: tables, tiles (sums by node, line, thread, kind of access,
// latency bin and slice of time at once), sampled rows, fields. Written by viz-export/view/vx_view_*.c.
import { unpack } from './unpack.js';

export const LEVELS = 4;
export const ACCESS_UNKNOWN_LEVEL = 4;
export const ACCESS_UNMEASURED = 5;
export const ACCESS_STORE = 6;
const ACCESS_NO_DATA = 8;

function running(deltas, Type) {
    const out = new Type(deltas.length);
    let sum = 0;
    for (let i = 0; i < deltas.length; i++) out[i] = sum += deltas[i];
    return out;
}

/** Tiles of one kind, by their numbers. */
function pick(tile, numbers) {
    const out = { len: numbers.length };
    for (const [name, column] of Object.entries(tile))
        if (name !== 'len') out[name] = column.constructor.from(numbers, (i) => column[i]);
    return out;
}

/** Bursts without accesses are a node below the root: data.nodes gets it, tiles and rows its number. */
function addNoData(data, tile) {
    const { nodes } = data;
    const known = nodes.len;
    if (known === 0 || !tile.access.includes(ACCESS_NO_DATA)) return (node) => node;
    const cells = { parent: 0, label: data.tiles.classes[ACCESS_NO_DATA], id: 'no-data', kind: '' };
    nodes.noData = known;
    nodes.len = known + 1;
    for (const column of Object.keys(nodes).filter((key) => Array.isArray(nodes[key])))
        nodes[column].push(cells[column] ?? null);
    nodes.timeError[known] = nodes.noDataTimeError;
    return (node) => (node < known ? node : node === known ? known + 1 : known);
}

function readTiles(data) {
    const number = (name) => running(data.column(`tile.${name}`), Uint32Array);
    const unit = data.tiles.unitNs;
    return {
        len: data.tiles.len,
        node: number('node'),
        line: number('line'),
        thread: number('thread'),
        access: number('access'),
        bin: number('bin'),
        slice: number('slice'),
        field: number('field'),
        place: number('place'),
        samples: data.column('tile.samples'),
        timeNs: data.column('tile.time').map((n) => n * unit),
        stallNs: data.column('tile.stall').map((n) => n * unit),
        latency: data.column('tile.latency'),
    };
}

/** The call tree, and costs by call: parent -1 is none; children[calls] are the outermost calls; call numbers of
 * rows up to calls, which is without a call stack. */
function readStacks(data) {
    const number = (name) => running(data.column(`stack.${name}`), Uint32Array);
    const sums = (name) => data.column(`stack.${name}`).map((n) => n * data.tiles.unitNs);
    const { calls, len } = data.stacks;
    const parent = data.column('call.parent').map((n) => n - 1);
    const children = Array.from({ length: calls + 1 }, () => []);
    parent.forEach((above, c) => children[above < 0 ? calls : above].push(c));
    const row = { len, timeNs: sums('time'), stallNs: sums('stall') };
    for (const name of ['call', 'node', 'line', 'thread', 'slice', 'origin']) row[name] = number(name);
    const timeNs = new Float64Array(calls + 1);
    for (let i = 0; i < len; i++) if (row.origin[i]) timeNs[row.call[i]] += row.timeNs[i];
    for (let c = calls - 1; c >= 0; c--) if (parent[c] >= 0) timeNs[parent[c]] += timeNs[c];
    return { ...data.stacks, name: data.column('call.name'), parent, children, row, timeNs };
}

/** Return the bin of tiles for a latency in cycles; 0 is for accesses without a latency. */
export function binOf(model, cycles) {
    if (cycles < 1) return 1;
    return Math.min(model.dims.bin - 1, 2 + Math.floor(Math.log2(cycles) * model.tiles.binsPerOctave + 1e-9));
}

/** The cycles at which a bin begins. */
export function binBegin(model, bin) {
    return bin < 2 ? 0 : 2 ** ((bin - 2) / model.tiles.binsPerOctave);
}

export function sliceOf(model, ns) {
    return Math.min(model.tiles.slices - 1, Math.floor((ns / model.durationNs) * model.tiles.slices));
}

function readRows(data, model) {
    const number = (name) => data.column(`row.${name}`);
    const rows = {
        len: data.sample.len,
        of: data.sample.of,
        node: number('node'),
        line: number('line'),
        thread: number('thread'),
        access: number('access'),
        latency: number('latency').map((n) => (n ? n - 1 : NaN)),
        timeNs: running(number('time'), Float64Array).map((us) => us * 1000),
        offset: number('offset').map((n) =>
            n < data.sample.offsetParts ? n / data.sample.offsetParts : NaN,
        ),
    };
    rows.place = data.tiles.places ? number('place') : new Uint8Array(rows.len); // 0: in none
    rows.bin = rows.latency.map((cycles) => (Number.isNaN(cycles) ? 0 : binOf(model, cycles)));
    rows.slice = rows.timeNs.map((ns) => sliceOf(model, ns));
    return rows;
}

/** Children by node; depth-first ends are not needed: parents come before children. */
function readTree(nodes) {
    const children = nodes.label.map(() => []);
    nodes.parent.forEach((parent, n) => parent !== null && children[parent].push(n));
    return children;
}

/** "Input/B"; the root is "all". */
function nodePath(nodes, n) {
    const labels = [];
    for (let at = n; at !== null && at !== 0; at = nodes.parent[at]) labels.unshift(nodes.label[at]);
    return labels.join('/') || nodes.label[0];
}

/** The levels as columns: name, and place in the sums. Equal limits: L1 stands for L2, too. */
function levelsOf(limits) {
    const levels = ['L1', 'L2', 'L3', 'DRAM'].map((name, level) => ({ name, level }));
    if (limits[0] === null || limits[0] !== limits[1]) return levels;
    return [{ name: 'L1/2', level: 0 }, ...levels.slice(2)];
}

function labelsWithRest(labels, none, rest) {
    return [...labels, none, rest];
}

export function readModel(text) {
    const data = unpack(text);
    const all = readTiles(data);
    const classes = data.tiles.classes.length;
    const isOrigin = (i) => all.access[i] >= classes;
    const numbers = [...all.access.keys()];
    const renumber = addNoData(data, all);
    const model = {
        ...data,
        tile: pick(
            all,
            numbers.filter((i) => !isOrigin(i)),
        ),
        // where bursts began: the time of lines, threads and slices where no access is chosen
        origin: pick(all, numbers.filter(isOrigin)),
    };
    model.tile.node = model.tile.node.map(renumber);
    model.levels = levelsOf(data.levelLimits);
    model.stacks = readStacks(data);
    model.stacks.row.node = model.stacks.row.node.map(renumber);
    model.nodes.children = readTree(data.nodes);
    model.nodes.path = data.nodes.label.map((_, n) => nodePath(data.nodes, n));
    model.labels = {
        node: labelsWithRest(model.nodes.path, 'no node known', 'others'),
        line: labelsWithRest(data.lines.label, '(no line known)', `${data.tiles.linesFolded} other lines`),
        thread: labelsWithRest(
            data.threads.label,
            '(not known)',
            `${data.tiles.threadsFolded} other threads`,
        ),
        access: data.tiles.classes.map(
            (name, i) => model.levels.find(({ level }) => level === i)?.name ?? name,
        ),
    };
    // range of a coordinate of a tile: 0 to len - 1
    model.dims = {
        node: data.nodes.len + 2,
        line: data.lines.len + 2,
        thread: data.threads.len + 2,
        access: data.tiles.classes.length,
        bin: data.tiles.bins + 1,
        slice: data.tiles.slices + 1,
    };
    model.row = readRows(data, model);
    model.row.node = model.row.node.map(renumber);
    return model;
}
