// SPDX-License-Identifier: BSD-3-Clause
// A field on a mesh: its cells as polygons where the mesh is flat and small, else its points (or cells) as dots.
// Meshes with three axes turn by dragging or with the arrow keys; a slider cuts away what lies in front.
import { h } from './dom.js';
import * as format from './format.js';
import { css } from './colours.js';
import { themeColours } from './theme.js';
import { hideTip, showTip } from './tip.js';

const HEIGHT = 380;
const MARGIN = 24;
const TURN = 0.01; // radians a pixel
const NEAR = 8; // pixels

function readPolygons(column) {
    const polygons = [];
    for (let at = 0; at < column.length; at += column[at] + 1)
        polygons.push(column.subarray(at + 1, at + 1 + column[at]));
    return polygons;
}

/** Points, moved and scaled into a cube of side 1 about 0. */
function normalised(points) {
    const bounds = points.map((axis) => {
        let [low, high] = [Infinity, -Infinity];
        axis.forEach((value) => ([low, high] = [Math.min(low, value), Math.max(high, value)]));
        return [low, high];
    });
    const side = Math.max(...bounds.map(([low, high]) => high - low)) || 1;
    return points.map((axis, a) => axis.map((value) => (value - (bounds[a][0] + bounds[a][1]) / 2) / side));
}

class Mesh {
    constructor(model, field, stage) {
        this.field = field;
        this.points = [0, 1, 2].map((a) => model.column(`f${field.number}.at${a}`));
        this.unit = normalised(this.points);
        this.polygons =
            field.drawn === 'polygons' ? readPolygons(model.column(`f${field.number}.corners`)) : null;
        this.solid = field.dims > 2;
        this.yaw = this.solid ? 0.6 : 0;
        this.pitch = this.solid ? 0.5 : 0;
        this.cut = 0;
        this.canvas = h('canvas', {
            class: 'mesh',
            tabindex: 0,
            role: 'img',
            'aria-label': `map of ${field.label}`,
            style: { height: `${HEIGHT}px` },
        });
        stage.append(this.canvas);
        if (this.solid) stage.append(this.cutControl());
        this.observer = new ResizeObserver(() => this.paint());
        this.observer.observe(this.canvas);
        this.listen();
    }

    cutControl() {
        const slider = h('input', {
            type: 'range',
            min: 0,
            max: 95,
            value: 0,
            'aria-label': 'cut away from the front, percent',
        });
        slider.addEventListener('input', () => {
            this.cut = slider.value / 100;
            this.paint();
        });
        return h(
            'div',
            { class: 'layers' },
            h('label', { class: 'choice' }, h('span', {}, 'cut away the front'), slider),
            h('span', { class: 'hint' }, 'drag to turn'),
        );
    }

    update(values, scale, describe) {
        Object.assign(this, { values, scale, describe });
        this.paint();
    }

    /** Turned: x to the right, y down as on the screen, depth towards the viewer. */
    turned([x, y, z]) {
        if (!this.solid) return { x, y: -y, depth: z };
        const [cosY, sinY, cosP, sinP] = [
            Math.cos(this.yaw),
            Math.sin(this.yaw),
            Math.cos(this.pitch),
            Math.sin(this.pitch),
        ];
        const back = -x * sinY + z * cosY;
        return { x: x * cosY + z * sinY, y: back * sinP - y * cosP, depth: y * sinP + back * cosP };
    }

    screen(point) {
        const width = this.canvas.clientWidth;
        const size = (Math.min(width, HEIGHT) - 2 * MARGIN) * (this.solid ? 0.72 : 1);
        const { x, y, depth } = this.turned(point);
        return { x: width / 2 + x * size, y: HEIGHT / 2 + y * size, depth };
    }

    project() {
        const len = this.unit[0].length;
        const out = { x: new Float32Array(len), y: new Float32Array(len), depth: new Float32Array(len) };
        for (let i = 0; i < len; i++) {
            const at = this.screen([this.unit[0][i], this.unit[1][i], this.unit[2][i]]);
            for (const axis of ['x', 'y', 'depth']) out[axis][i] = at[axis];
        }
        return out;
    }

    paint() {
        if (!this.values || !this.canvas.clientWidth) return;
        const ratio = devicePixelRatio || 1;
        this.canvas.width = this.canvas.clientWidth * ratio;
        this.canvas.height = HEIGHT * ratio;
        const context = this.canvas.getContext('2d');
        context.scale(ratio, ratio);
        this.at = this.project();
        if (this.solid) this.frame(context);
        if (this.polygons) this.paintPolygons(context);
        else this.paintDots(context);
        this.axisCross(context);
        this.canvas.dataset.state = 'drawn';
    }

    paintPolygons(context) {
        const missing = getComputedStyle(document.documentElement).getPropertyValue('--unknown');
        this.polygons.forEach((corners, cell) => {
            const rgb = this.scale.of(this.values[cell]);
            context.fillStyle = context.strokeStyle = rgb ? css(rgb) : missing;
            context.beginPath();
            corners.forEach((point, k) =>
                k
                    ? context.lineTo(this.at.x[point], this.at.y[point])
                    : context.moveTo(this.at.x[point], this.at.y[point]),
            );
            context.closePath();
            context.fill();
            context.lineWidth = 0.6;
            context.stroke();
        });
    }

    /** The farthest first; what has no sample is small and faint. */
    paintDots(context) {
        const order = Array.from(this.at.depth.keys()).sort((a, b) => this.at.depth[a] - this.at.depth[b]);
        const shown = order.slice(0, Math.round(order.length * (1 - this.cut)));
        const side = Math.max(
            2,
            Math.min(14, (HEIGHT * 0.75) / (this.solid ? Math.cbrt(order.length) : Math.sqrt(order.length))),
        );
        this.shown = shown;
        const missing = themeColours().faint;
        for (const i of shown) {
            const rgb = this.scale.of(this.values[i]);
            const size = rgb ? side : 1.2;
            context.globalAlpha = rgb ? 1 : 0.4;
            context.fillStyle = rgb ? css(rgb) : missing;
            context.fillRect(this.at.x[i] - size / 2, this.at.y[i] - size / 2, size, size);
        }
        context.globalAlpha = 1;
    }

    axisCross(context) {
        const { faint } = themeColours();
        const origin = { x: 34, y: HEIGHT - 34 };
        context.strokeStyle = context.fillStyle = faint;
        context.font = '12px system-ui, sans-serif';
        context.textAlign = 'center';
        context.textBaseline = 'middle';
        for (let a = 0; a < (this.solid ? 3 : 2); a++) {
            const to = this.turned([0, 1, 2].map((axis) => (axis === a ? 1 : 0)));
            context.beginPath();
            context.moveTo(origin.x, origin.y);
            context.lineTo(origin.x + to.x * 20, origin.y + to.y * 20);
            context.stroke();
            context.fillText(this.field.axes[a].name, origin.x + to.x * 29, origin.y + to.y * 29);
        }
    }

    /** The edges of the box around a solid mesh. */
    frame(context) {
        const half = this.unit.map((axis) =>
            axis.reduce((most, value) => Math.max(most, Math.abs(value)), 0),
        );
        const corner = (bits) => this.screen(half.map((h, a) => (bits & (1 << a) ? h : -h)));
        context.strokeStyle = themeColours().line;
        context.beginPath();
        for (let from = 0; from < 8; from++)
            for (const bit of [1, 2, 4])
                if (!(from & bit)) {
                    const [p, q] = [corner(from), corner(from | bit)];
                    context.moveTo(p.x, p.y);
                    context.lineTo(q.x, q.y);
                }
        context.stroke();
    }

    /** The polygon or the dot under the pointer, -1: none. */
    find(x, y) {
        if (this.polygons) return this.polygons.findIndex((corners) => this.contains(corners, x, y));
        let [best, least] = [-1, NEAR * NEAR];
        for (const i of this.shown ?? []) {
            const d = (this.at.x[i] - x) ** 2 + (this.at.y[i] - y) ** 2;
            if (d <= least && Number.isFinite(this.values[i])) [best, least] = [i, d];
        }
        return best;
    }

    contains(corners, x, y) {
        let inside = false;
        for (let i = 0, j = corners.length - 1; i < corners.length; j = i++) {
            const [xi, yi, xj, yj] = [
                this.at.x[corners[i]],
                this.at.y[corners[i]],
                this.at.x[corners[j]],
                this.at.y[corners[j]],
            ];
            if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) inside = !inside;
        }
        return inside;
    }

    tell(event) {
        const corner = this.canvas.getBoundingClientRect();
        const place = this.find(event.clientX - corner.left, event.clientY - corner.top);
        if (place < 0) {
            hideTip();
            return;
        }
        const where = this.polygons
            ? `cell ${format.count(place)}`
            : this.field.axes
                  .slice(0, this.field.dims)
                  .map((axis, a) => `${axis.name} ${format.digits(this.points[a][place])}`)
                  .join(', ');
        const lines = this.describe(place);
        showTip(
            [[where, this.field.unit], ...(lines.length ? lines : [['', 'no sample here']])],
            event.clientX,
            event.clientY,
        );
    }

    turn(yaw, pitch) {
        this.yaw += yaw;
        this.pitch = Math.min(1.57, Math.max(-1.57, this.pitch + pitch));
        this.paint();
    }

    listen() {
        let last = null;
        this.canvas.addEventListener('pointerdown', (event) => {
            if (!this.solid || event.button !== 0) return;
            last = [event.clientX, event.clientY];
            this.canvas.setPointerCapture(event.pointerId);
        });
        this.canvas.addEventListener('pointerup', () => (last = null));
        this.canvas.addEventListener('pointerleave', hideTip);
        this.canvas.addEventListener('pointermove', (event) => {
            if (!last) {
                this.tell(event);
                return;
            }
            this.turn((event.clientX - last[0]) * TURN, (event.clientY - last[1]) * TURN);
            last = [event.clientX, event.clientY];
        });
        this.canvas.addEventListener('keydown', (event) => {
            const step = {
                ArrowLeft: [-0.1, 0],
                ArrowRight: [0.1, 0],
                ArrowUp: [0, -0.1],
                ArrowDown: [0, 0.1],
            }[event.key];
            if (!step || !this.solid) return;
            this.turn(...step);
            event.preventDefault();
        });
    }

    dispose() {
        this.observer.disconnect();
        hideTip();
    }
}

export function meshPicture(model, field, stage) {
    return new Mesh(model, field, stage);
}
