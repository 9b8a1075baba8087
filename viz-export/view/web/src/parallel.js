// SPDX-License-Identifier: BSD-3-Clause
// Parallel coordinates (as in MemAxes, Gimenez and others 2014): a random selection of the run's samples,
// each as a line through all its properties. Each frame draws a part of the lines, so that the page never
// stops.
import { ACCESS_COLOURS } from './colours.js';
import { h, panel } from './dom.js';
import * as format from './format.js';
import { binOf, sliceOf } from './model.js';
import { DIMENSIONS } from './selection.js';
import { themeColours } from './theme.js';
import { accessLegend } from './head.js';

const HEIGHT = 340;
const TOP = 44;
const BOTTOM = 24;
const SIDE = 70;
const ROWS_A_FRAME = 4000;
const LABEL_GAP = 15;

/** Values that occur, evenly spread from top to bottom, in the order given. */
function categoryAxis(title, dimension, column, order, labels) {
    const seen = new Set(column);
    const values = order.filter((value) => seen.has(value));
    const place = new Map(
        values.map((value, i) => [value, values.length > 1 ? i / (values.length - 1) : 0.5]),
    );
    return {
        title,
        dimension,
        values,
        y: Float32Array.from(column, (value) => place.get(value) ?? NaN),
        ticks: values.map((value) => [place.get(value), labels[value], value]),
        pick: (selection, from, to) => {
            const middle = (from + to) / 2;
            const near = values.reduce((best, v) =>
                Math.abs(place.get(v) - middle) < Math.abs(place.get(best) - middle) ? v : best,
            );
            if (dimension === 'node') selection.selectNode(near);
            else selection.toggle(dimension, near);
        },
    };
}

function timeAxis(model) {
    const { durationNs } = model;
    return {
        title: 'time',
        dimension: 'slice',
        y: Float32Array.from(model.row.timeNs, (ns) => ns / durationNs),
        ticks: [0, 0.25, 0.5, 0.75, 1].map((part) => [part, format.time(part * durationNs)]),
        pick: (selection, from, to) =>
            selection.selectRange('slice', [
                sliceOf(model, from * durationNs),
                sliceOf(model, to * durationNs),
            ]),
    };
}

function latencyAxis(model) {
    const known = model.row.latency.filter((cycles) => cycles >= 0);
    let high = 2;
    known.forEach((cycles) => (high = Math.max(high, cycles)));
    const decades = Math.log10(high);
    const ticks = [];
    for (let decade = 0; decade <= decades; decade++)
        ticks.push([1 - decade / decades, format.shortCount(10 ** decade)]);
    return {
        title: 'latency, cycles',
        dimension: 'bin',
        y: Float32Array.from(model.row.latency, (cycles) => 1 - Math.log10(Math.max(1, cycles)) / decades),
        ticks,
        pick: (selection, from, to) => {
            const bin = (part) => binOf(model, 10 ** ((1 - part) * decades));
            selection.selectRange('bin', [bin(to), bin(from)]);
        },
    };
}

function offsetAxis(model) {
    return {
        title: 'place in the data',
        y: Float32Array.from(model.row.offset),
        ticks: [0, 0.25, 0.5, 0.75, 1].map((part) => [part, `${part * 100} %`]),
    };
}

/** Nodes depth first, so that data of one group are neighbours. */
function depthFirst(nodes) {
    const out = [];
    const visit = (n) => {
        out.push(n);
        nodes.children[n].forEach(visit);
    };
    if (nodes.len) visit(0);
    return [...out, nodes.len, nodes.len + 1];
}

function makeAxes(model) {
    const { row, labels, lines } = model;
    const all = (len) => Array.from({ length: len }, (_, i) => i);
    const shortNode = [...model.nodes.label, ...labels.node.slice(model.nodes.len)];
    const shortLine = lines.file.map((file, i) =>
        file ? `${file.slice(file.lastIndexOf('/') + 1)}:${lines.number[i]}` : lines.label[i],
    );
    return [
        categoryAxis('thread', 'thread', row.thread, all(model.dims.thread), labels.thread),
        timeAxis(model),
        categoryAxis('data', 'node', row.node, depthFirst(model.nodes), shortNode),
        offsetAxis(model),
        categoryAxis('line', 'line', row.line, all(model.dims.line), [
            ...shortLine,
            ...labels.line.slice(lines.len),
        ]),
        categoryAxis('served by', 'access', row.access, all(model.dims.access), labels.access),
        ...(row.latency.some((cycles) => cycles >= 0) ? [latencyAxis(model)] : []),
    ];
}

function passingRows(model, masks) {
    const { row } = model;
    const columns = DIMENSIONS.map((dimension) => row[dimension]);
    const passes = DIMENSIONS.map((dimension) => masks[dimension]);
    const out = [];
    for (let i = 0; i < row.len; i++) {
        let ok = masks.place[row.place[i]] === 1;
        for (let d = 0; d < columns.length && ok; d++) ok = passes[d][columns[d][i]] === 1;
        if (ok) out.push(i);
    }
    return out;
}

class Painter {
    constructor(app, canvas, axes) {
        Object.assign(this, { app, canvas, axes, rows: [], run: 0 });
    }

    x(axis) {
        return SIDE + ((this.width - 2 * SIDE) * axis) / (this.axes.length - 1);
    }

    y(part) {
        return TOP + part * (HEIGHT - TOP - BOTTOM);
    }

    paint(rows) {
        const ratio = devicePixelRatio || 1;
        this.width = this.canvas.clientWidth;
        if (!this.width) return;
        this.canvas.width = this.width * ratio;
        this.canvas.height = HEIGHT * ratio;
        this.context = this.canvas.getContext('2d');
        this.context.scale(ratio, ratio);
        this.rows = rows;
        this.alpha = Math.min(0.8, Math.max(0.03, 18 / Math.sqrt(rows.length + 1) / 8));
        this.run++;
        this.canvas.dataset.state = 'drawing';
        this.drawAxes();
        this.part(0, this.run);
    }

    part(begin, run) {
        if (run !== this.run) return;
        const end = Math.min(this.rows.length, begin + ROWS_A_FRAME);
        this.lines(begin, end);
        this.drawAxes();
        if (end < this.rows.length) requestAnimationFrame(() => this.part(end, run));
        else this.canvas.dataset.state = 'drawn';
    }

    /** Draw all lines of a colour as one path. */
    lines(begin, end) {
        const { context, axes, rows } = this;
        const { access } = this.app.model.row;
        const paths = new Map();
        for (let r = begin; r < end; r++) {
            const i = rows[r];
            if (!paths.has(access[i])) paths.set(access[i], new Path2D());
            this.line(paths.get(access[i]), axes, i);
        }
        context.globalAlpha = this.alpha;
        context.lineWidth = 1;
        for (const [kind, path] of paths) {
            context.strokeStyle = ACCESS_COLOURS[kind];
            context.stroke(path);
        }
        context.globalAlpha = 1;
    }

    /** Categories are spread a little, so that equal ones are a band and not one line. */
    line(path, axes, i) {
        let pen = false;
        for (let a = 0; a < axes.length; a++) {
            const part = axes[a].y[i];
            if (Number.isNaN(part)) {
                pen = false;
                continue;
            }
            const spread = axes[a].values
                ? ((((i * 2654435761) >>> 0) / 2 ** 32 - 0.5) * 0.5) / Math.max(8, axes[a].values.length)
                : 0;
            const x = this.x(a);
            const y = this.y(part + spread);
            if (pen) path.lineTo(x, y);
            else path.moveTo(x, y);
            pen = true;
        }
    }

    drawAxes() {
        const { context, axes } = this;
        const colours = themeColours();
        context.font = '12px system-ui, sans-serif';
        context.textBaseline = 'middle';
        axes.forEach((axis, a) => {
            const filtered = axis.dimension && this.app.selection.isFiltered(axis.dimension);
            context.strokeStyle = filtered ? colours.accent : colours.faint;
            context.lineWidth = filtered ? 2.5 : 1;
            context.beginPath();
            context.moveTo(this.x(a), this.y(0) - 4);
            context.lineTo(this.x(a), this.y(1) + 4);
            context.stroke();
            context.textAlign = 'center';
            this.text(
                axis.title,
                this.x(a),
                16,
                colours.ink,
                colours.panel,
                'bold 12px system-ui, sans-serif',
            );
            this.ticks(axis, a, colours);
        });
    }

    /** Draw labels where they fit, and always those of selected values. */
    ticks(axis, a, colours) {
        const { selection } = this.app;
        const chosen = (value) =>
            axis.dimension === 'node' ? selection.node === value : selection.has(axis.dimension, value);
        const isChosen = ([, , value]) => value !== undefined && chosen(value);
        const isLast = a === this.axes.length - 1;
        const room = (this.width - 2 * SIDE) / (this.axes.length - 1) - 14;
        const taken = [];
        this.context.textAlign = isLast ? 'right' : 'left';
        for (const tick of [...axis.ticks.filter(isChosen), ...axis.ticks]) {
            const y = this.y(tick[0]);
            if (taken.some((other) => Math.abs(other - y) < LABEL_GAP)) continue;
            taken.push(y);
            const font = `${isChosen(tick) ? 'bold ' : ''}12px system-ui, sans-serif`;
            this.text(
                this.fit(tick[1], room),
                this.x(a) + (isLast ? -6 : 6),
                y,
                colours.ink,
                colours.panel,
                font,
            );
        }
    }

    fit(label, room) {
        let text = String(label);
        this.context.font = '12px system-ui, sans-serif';
        if (this.context.measureText(text).width <= room) return text;
        while (text.length > 1 && this.context.measureText(`${text}…`).width > room) text = text.slice(0, -1);
        return `${text}…`;
    }

    text(text, x, y, ink, halo, font) {
        const { context } = this;
        context.font = font;
        context.lineWidth = 4;
        context.lineJoin = 'round';
        context.strokeStyle = halo;
        context.strokeText(text, x, y);
        context.fillStyle = ink;
        context.fillText(text, x, y);
    }
}

/** Dragging along an axis selects a range; a click selects the nearest value. */
function pickOn(canvas, painter, app) {
    let begin = null;
    const at = (event) => {
        const box = canvas.getBoundingClientRect();
        const x = event.clientX - box.left;
        const gap = (painter.width - 2 * SIDE) / (painter.axes.length - 1);
        const axis = Math.round((x - SIDE) / gap);
        const part = Math.min(1, Math.max(0, (event.clientY - box.top - TOP) / (HEIGHT - TOP - BOTTOM)));
        return { axis: painter.axes[axis], near: Math.abs(painter.x(axis) - x) < 40, part };
    };
    canvas.addEventListener('pointerdown', (event) => {
        const place = at(event);
        if (event.button === 0 && place.near && place.axis?.pick) begin = place;
    });
    canvas.addEventListener('pointerup', (event) => {
        if (!begin) return;
        const end = at(event).part;
        const [from, to] = [Math.min(begin.part, end), Math.max(begin.part, end)];
        begin.axis.pick(app.selection, from, to);
        begin = null;
    });
    canvas.addEventListener('pointermove', (event) => {
        const place = at(event);
        canvas.style.cursor = place.near && place.axis?.pick ? 'ns-resize' : 'default';
    });
}

export function parallelView(app) {
    const { model } = app;
    const all = model.row.len === model.row.of;
    const { element, body, note } = panel('samples', 'Samples', '');
    if (model.row.len === 0) {
        body.append(h('p', { class: 'empty' }, 'This run has no samples.'));
        return { element, update() {} };
    }
    const canvas = h('canvas', { class: 'parallel', role: 'img', style: { height: `${HEIGHT}px` } });
    const painter = new Painter(app, canvas, makeAxes(model));
    body.append(canvas, accessLegend(model));
    pickOn(canvas, painter, app);
    let rows = [];
    new ResizeObserver(() => painter.paint(rows)).observe(canvas);
    const update = () => {
        rows = passingRows(model, app.selection.masks);
        const drawn = format.count(rows.length);
        const pick = all
            ? `all ${format.count(model.row.of)} samples`
            : `a random selection of ${format.count(model.row.len)} of ${format.count(model.row.of)} samples`;
        const what = rows.length === model.row.len ? pick.replace('a', 'A') : `${drawn} of ${pick}`;
        note.textContent = `${what}, a line each. Drag along an axis, or click a value, to select. A line is broken where a value is not known.`;
        canvas.setAttribute(
            'aria-label',
            `${drawn} samples as parallel coordinates: thread, time, data, place in the data, line, level, latency`,
        );
        painter.paint(rows);
    };
    const table = () => {
        const { row, labels } = model;
        const named = ['thread', 'node', 'line', 'access'];
        return {
            head: ['time_ns', 'offset', 'latency_cycles', 'thread', 'data', 'line', 'access'],
            rows: rows.map((i) => [
                row.timeNs[i],
                row.offset[i],
                row.latency[i],
                ...named.map((dimension) => labels[dimension][row[dimension][i]]),
            ]),
        };
    };
    return { element, update, table };
}
