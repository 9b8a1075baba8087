// SPDX-License-Identifier: BSD-3-Clause
// A field on a mesh: its cells as polygons where the mesh is flat and small, else its points (or cells) as
// dots. Meshes with three axes turn by dragging or with the arrow keys; a slider cuts away the front. Places
// are selected by a click, by a rectangle, or with the keyboard.
import { h } from './dom.js';
import * as format from './format.js';
import { css } from './colours.js';
import { themeColours } from './theme.js';
import { hideTip, showTip } from './tip.js';

const HEIGHT = 380;
const MARGIN = 24;
const TURN = 0.01; // radians a pixel
const NEAR = 8; // pixels
const STILL = 3; // pixels: less is a click

function readPolygons(column) {
    const polygons = [];
    for (let at = 0; at < column.length; at += column[at] + 1)
        polygons.push(column.subarray(at + 1, at + 1 + column[at]));
    return polygons;
}

/** Points, moved and scaled into a cube of side 1 around 0. */
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
    constructor(model, field, stage, pick) {
        Object.assign(this, { field, pick, picked: null, drag: null, current: -1 });
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
            h('span', { class: 'hint' }, 'drag to turn, with Shift to select'),
        );
    }

    update(values, scale, describe, picked) {
        Object.assign(this, { values, scale, describe, picked });
        this.order = null;
        this.paint();
    }

    /** Rotated points: x to the right, y down as on the screen, depth towards the viewer. */
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
        this.marks(context);
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

    /** Draw the farthest places first; places without a sample are small and faint. */
    paintDots(context) {
        const order = Array.from(this.at.depth.keys()).sort((a, b) => this.at.depth[a] - this.at.depth[b]);
        const shown = order.slice(0, Math.round(order.length * (1 - this.cut)));
        const side = Math.max(
            2,
            Math.min(14, (HEIGHT * 0.75) / (this.solid ? Math.cbrt(order.length) : Math.sqrt(order.length))),
        );
        this.shown = shown;
        this.side = side;
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

    middle(place) {
        const points = this.polygons ? this.polygons[place] : [place];
        const mean = (values) => points.reduce((sum, point) => sum + values[point], 0) / points.length;
        return { x: mean(this.at.x), y: mean(this.at.y) };
    }

    trace(context, place) {
        context.beginPath();
        if (this.polygons)
            this.polygons[place].forEach((point) => context.lineTo(this.at.x[point], this.at.y[point]));
        else
            context.rect(
                this.at.x[place] - this.side / 2,
                this.at.y[place] - this.side / 2,
                this.side,
                this.side,
            );
        context.closePath();
        context.stroke();
    }

    /** The selected places, the place of the keyboard cursor, and the rectangle that is being drawn. */
    marks(context) {
        context.strokeStyle = themeColours().accent;
        context.lineWidth = 1.2;
        if (this.picked)
            for (const place of this.places()) if (this.picked[place]) this.trace(context, place);
        context.lineWidth = 2.5;
        if (this.current >= 0 && document.activeElement === this.canvas) this.trace(context, this.current);
        if (!this.drag?.isRectangle) return;
        const { from, to } = this.drag;
        context.lineWidth = 1.5;
        context.setLineDash([4, 3]);
        context.strokeRect(from[0], from[1], to[0] - from[0], to[1] - from[1]);
        context.setLineDash([]);
    }

    /** Numbers of the places that are drawn. */
    places() {
        return this.polygons ? this.polygons.keys() : (this.shown ?? []);
    }

    /** Select one place, or all whose centres are in a rectangle; add: extend the selection. */
    select(places, add) {
        if (!this.pick) return;
        const isAdded = add && this.picked;
        const picked = isAdded ? this.picked.slice() : new Uint8Array(this.field.places);
        for (const place of places) picked[place] = 1;
        const isSame = places.length === 1 && !add && this.picked?.every((one, i) => one === picked[i]);
        if (isSame || places.length === 0) this.pick(null);
        else this.pick(picked, places.length === 1 && !isAdded ? this.where(places[0]) : null);
    }

    inside([x0, y0], [x1, y1]) {
        return Array.from(this.places()).filter((place) => {
            const { x, y } = this.middle(place);
            return (
                x >= Math.min(x0, x1) &&
                x <= Math.max(x0, x1) &&
                y >= Math.min(y0, y1) &&
                y <= Math.max(y0, y1)
            );
        });
    }

    where(place) {
        if (this.polygons) return `cell ${format.count(place)}`;
        return this.field.axes
            .slice(0, this.field.dims)
            .map((axis, a) => `${axis.name} ${format.digits(this.points[a][place])}`)
            .join(', ');
    }

    /** Move the cursor to the next place in order of decreasing value, or to the previous one. */
    walk(step) {
        this.order ??= Array.from(this.values.keys())
            .filter((place) => Number.isFinite(this.values[place]))
            .sort((a, b) => this.values[b] - this.values[a]);
        if (this.order.length === 0) return;
        const at = this.order.indexOf(this.current);
        this.current = this.order[at < 0 ? 0 : Math.min(this.order.length - 1, Math.max(0, at + step))];
        this.paint();
        const corner = this.canvas.getBoundingClientRect();
        const { x, y } = this.middle(this.current);
        this.tellPlace(this.current, corner.left + x, corner.top + y);
        const lines = this.describe(this.current).map(([key, text]) => `${key} ${text}`);
        this.canvas.setAttribute(
            'aria-label',
            `map of ${this.field.label}; ${this.where(this.current)}: ${lines.join('; ')}`,
        );
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
        if (place < 0) hideTip();
        else this.tellPlace(place, event.clientX, event.clientY);
    }

    tellPlace(place, x, y) {
        const lines = this.describe(place);
        showTip(
            [[this.where(place), this.field.unit], ...(lines.length ? lines : [['', 'no sample here']])],
            x,
            y,
        );
    }

    turn(yaw, pitch) {
        this.yaw += yaw;
        this.pitch = Math.min(1.57, Math.max(-1.57, this.pitch + pitch));
        this.paint();
    }

    pointAt(event) {
        const corner = this.canvas.getBoundingClientRect();
        return [event.clientX - corner.left, event.clientY - corner.top];
    }

    /** Dragging turns a mesh with three axes; with Shift, and on flat ones, it selects. */
    listen() {
        this.canvas.addEventListener('pointerdown', (event) => {
            if (event.button !== 0) return;
            const from = this.pointAt(event);
            this.drag = { from, to: from, isRectangle: !this.solid || event.shiftKey, moved: false };
            this.canvas.setPointerCapture(event.pointerId);
        });
        this.canvas.addEventListener('pointerup', (event) => this.drop(event));
        this.canvas.addEventListener('pointercancel', () => (this.drag = null));
        this.canvas.addEventListener('pointerleave', hideTip);
        this.canvas.addEventListener('pointermove', (event) => this.move(event));
        this.canvas.addEventListener('keydown', (event) => this.key(event));
        for (const kind of ['focus', 'blur']) this.canvas.addEventListener(kind, () => this.paint());
        this.canvas.addEventListener('blur', hideTip);
    }

    move(event) {
        if (!this.drag) {
            this.tell(event);
            return;
        }
        const to = this.pointAt(event);
        const [dx, dy] = [to[0] - this.drag.to[0], to[1] - this.drag.to[1]];
        this.drag.moved ||= Math.hypot(to[0] - this.drag.from[0], to[1] - this.drag.from[1]) > STILL;
        this.drag.to = to;
        if (this.drag.isRectangle) this.paint();
        else this.turn(dx * TURN, dy * TURN);
    }

    drop(event) {
        if (!this.drag) return;
        const { from, moved, isRectangle } = this.drag;
        this.drag = null;
        if (moved && isRectangle)
            this.select(this.inside(from, this.pointAt(event)), this.solid ? false : event.shiftKey);
        else if (!moved) {
            const place = this.find(...from);
            this.select(place < 0 ? [] : [place], event.shiftKey);
        }
        this.paint();
    }

    key(event) {
        const turns = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] };
        const steps = { PageDown: 1, PageUp: -1 };
        if (!this.solid) Object.assign(steps, { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 });
        if (steps[event.key]) this.walk(steps[event.key]);
        else if (turns[event.key]) this.turn(...turns[event.key]);
        else if (event.key === 'Escape') this.pick?.(null);
        else if ((event.key === 'Enter' || event.key === ' ') && this.current >= 0)
            this.select([this.current], event.shiftKey);
        else return;
        event.preventDefault();
    }

    dispose() {
        this.observer.disconnect();
        hideTip();
    }
}

/** pick: as for gridPicture. */
export function meshPicture(model, field, stage, pick) {
    return new Mesh(model, field, stage, pick);
}
