// SPDX-License-Identifier: BSD-3-Clause
// A field on a grid: an image of its cells; for a grid with three axes one layer at a time. The pointer, or
// the arrow keys, show the values of a place.
import { choice, h } from './dom.js';
import * as format from './format.js';
import { themeColours } from './theme.js';
import { hideTip, showTip } from './tip.js';

const MARGIN = { left: 58, top: 10, right: 12, bottom: 40 };
const HEIGHT = 380;
const STRIP = 110;

/** Rows of a matrix run downwards as they are written; a domain with coordinates has its y upwards. */
const isUpwards = (field) =>
    Boolean(field.unit) || field.axes.some((axis, a) => a < field.dims && axis.spacing !== 1);

const corners = ([a, b]) => ({
    low: a.map((at, k) => Math.min(at, b[k])),
    high: a.map((at, k) => Math.max(at, b[k])),
});

class Grid {
    constructor(field, stage, pick) {
        Object.assign(this, { field, pick, picked: null, drag: null, anchor: null });
        this.upwards = isUpwards(field);
        this.across = field.dims > 2 ? (field.flat ?? 2) : null; // the axis that layers are cut across
        this.layer = 0;
        this.cursor = [0, 0];
        this.canvas = h('canvas', {
            class: 'grid',
            tabindex: 0,
            role: 'img',
            'aria-label': `map of ${field.label}`,
        });
        this.layers = h('div', { class: 'layers' });
        stage.append(this.canvas, this.layers);
        this.observer = new ResizeObserver(() => this.paint());
        this.observer.observe(this.canvas);
        this.listen();
    }

    /** The two axes of the picture. */
    axes() {
        return [0, 1, 2].filter((a) => a !== (this.across ?? 2));
    }

    places(a) {
        return this.field.axes[a].places;
    }

    /** Number of the place at column i, row j of the shown layer. */
    place(i, j) {
        const at = [0, 0, 0];
        const [p, q] = this.axes();
        at[p] = i;
        at[q] = j;
        if (this.across !== null) at[this.across] = this.layer;
        return (at[2] * this.places(1) + at[1]) * this.places(0) + at[0];
    }

    update(values, scale, describe, picked) {
        const first = !this.values;
        Object.assign(this, { values, scale, describe, picked });
        if (first && this.across !== null) this.layer = this.fullestLayer();
        this.layerControls();
        this.paint();
    }

    fullestLayer() {
        const [p, q] = this.axes();
        let best = 0;
        let most = -1;
        for (let layer = 0; layer < this.places(this.across); layer++) {
            this.layer = layer;
            let filled = 0;
            for (let j = 0; j < this.places(q); j++)
                for (let i = 0; i < this.places(p); i++)
                    filled += Number.isFinite(this.values[this.place(i, j)]);
            if (filled > most) [best, most] = [layer, filled];
        }
        return best;
    }

    layerControls() {
        if (this.across === null || this.places(this.across) === 1) return;
        const { axes } = this.field;
        const slider = h('input', {
            type: 'range',
            min: 0,
            max: this.places(this.across) - 1,
            value: this.layer,
            'aria-label': 'layer',
        });
        const where = h('output', {}, this.axisText(this.across, this.layer));
        slider.addEventListener('input', () => {
            this.layer = Number(slider.value);
            where.textContent = this.axisText(this.across, this.layer);
            this.paint();
        });
        this.layers.replaceChildren(
            choice(
                'layers across',
                axes.map((axis, a) => [String(a), axis.name]),
                String(this.across),
                (a) => {
                    this.across = Number(a);
                    this.layer = this.fullestLayer();
                    this.layerControls();
                    this.paint();
                },
            ),
            slider,
            where,
        );
    }

    /** "x 12 to 15" for places from at to last, with coordinates where the domain has them. */
    axisText(a, at, last = at) {
        const axis = this.field.axes[a];
        const from = at * axis.cellsPerPlace;
        const to = Math.min(axis.cells, (last + 1) * axis.cellsPerPlace) - 1;
        const cells = `${axis.name} ${to > from ? `${from} to ${to}` : from}`;
        if (!this.upwards) return cells;
        return `${cells} (${`${format.digits(axis.origin + from * axis.spacing)} ${this.field.unit}`.trim()})`;
    }

    /** Keep the proportion of the cells' sides unless that makes the picture too thin. */
    frame() {
        const [p, q] = this.axes();
        const width = this.canvas.clientWidth - MARGIN.left - MARGIN.right;
        const flat = this.places(q) === 1;
        const room = (flat ? STRIP : HEIGHT) - MARGIN.top - MARGIN.bottom;
        const cell = (a) => this.field.axes[a].cellsPerPlace * this.field.axes[a].spacing;
        const ratio = (this.places(p) * cell(p)) / (this.places(q) * cell(q));
        if (flat || ratio > 8 || ratio < 1 / 8) return { x: MARGIN.left, y: MARGIN.top, width, height: room };
        const drawn = Math.min(width, room * ratio);
        return { x: MARGIN.left, y: MARGIN.top, width: drawn, height: drawn / ratio };
    }

    image() {
        const [p, q] = this.axes();
        const [columns, rows] = [this.places(p), this.places(q)];
        const canvas = document.createElement('canvas');
        canvas.width = columns;
        canvas.height = rows;
        const context = canvas.getContext('2d');
        const pixels = context.createImageData(columns, rows);
        for (let j = 0; j < rows; j++)
            for (let i = 0; i < columns; i++) {
                const rgb = this.scale.of(this.values[this.place(i, j)]);
                const at = 4 * ((this.upwards ? rows - 1 - j : j) * columns + i);
                if (rgb) pixels.data.set([...rgb, 255], at);
            }
        context.putImageData(pixels, 0, 0);
        return canvas;
    }

    paint() {
        if (!this.values || !this.canvas.clientWidth) return;
        const ratio = devicePixelRatio || 1;
        const box = this.frame();
        const height = box.height + MARGIN.top + MARGIN.bottom;
        this.canvas.style.height = `${height}px`;
        this.canvas.width = this.canvas.clientWidth * ratio;
        this.canvas.height = height * ratio;
        const context = this.canvas.getContext('2d');
        const colours = themeColours();
        context.scale(ratio, ratio);
        context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--unknown');
        context.fillRect(box.x, box.y, box.width, box.height);
        context.imageSmoothingEnabled = false;
        context.drawImage(this.image(), box.x, box.y, box.width, box.height);
        context.strokeStyle = colours.line;
        context.strokeRect(box.x, box.y, box.width, box.height);
        this.axisTexts(context, box, colours);
        this.outline(context, box, colours);
        this.dragBox(context, box, colours);
        this.cursorBox(context, box, colours);
        this.canvas.dataset.state = 'drawn';
    }

    axisTexts(context, box, colours) {
        const [p, q] = this.axes();
        const end = (a, part) => {
            const axis = this.field.axes[a];
            return this.upwards
                ? format.digits(axis.origin + part * axis.cells * axis.spacing)
                : format.count(part * axis.cells);
        };
        context.fillStyle = colours.faint;
        context.font = '12px system-ui, sans-serif';
        context.textBaseline = 'top';
        for (const part of [0, 0.5, 1]) {
            context.textAlign = part === 0 ? 'left' : part === 1 ? 'right' : 'center';
            context.fillText(end(p, part), box.x + part * box.width, box.y + box.height + 4);
        }
        const unit = this.field.unit ? `, ${this.field.unit}` : '';
        context.textAlign = 'center';
        context.fillText(this.field.axes[p].name + unit, box.x + box.width / 2, box.y + box.height + 20);
        if (this.places(q) === 1) return;
        context.textAlign = 'right';
        for (const part of [0, 1]) {
            context.textBaseline = (part === 0) === this.upwards ? 'bottom' : 'top';
            context.fillText(end(q, part), box.x - 6, box.y + (this.upwards ? 1 - part : part) * box.height);
        }
        context.textBaseline = 'middle';
        context.fillText(this.field.axes[q].name + unit, box.x - 6, box.y + box.height / 2);
    }

    /** Outline of the selection. */
    outline(context, box, colours) {
        if (!this.picked) return;
        const [p, q] = this.axes();
        const [columns, rows] = [this.places(p), this.places(q)];
        const [width, height] = [box.width / columns, box.height / rows];
        const isPicked = (i, j) =>
            i >= 0 && j >= 0 && i < columns && j < rows && this.picked[this.place(i, j)] === 1;
        context.strokeStyle = colours.accent;
        context.lineWidth = 2.5;
        context.beginPath();
        const edge = (i, j, [i0, j0, i1, j1]) => {
            const y = (at) => box.y + (this.upwards ? rows - at : at) * height;
            context.moveTo(box.x + (i + i0) * width, y(j + j0));
            context.lineTo(box.x + (i + i1) * width, y(j + j1));
        };
        for (let j = 0; j < rows; j++)
            for (let i = 0; i < columns; i++) {
                if (!isPicked(i, j)) continue;
                if (!isPicked(i - 1, j)) edge(i, j, [0, 0, 0, 1]);
                if (!isPicked(i + 1, j)) edge(i, j, [1, 0, 1, 1]);
                if (!isPicked(i, j - 1)) edge(i, j, [0, 0, 1, 0]);
                if (!isPicked(i, j + 1)) edge(i, j, [0, 1, 1, 1]);
            }
        context.stroke();
    }

    dragBox(context, box, colours) {
        if (!this.drag) return;
        const [p, q] = this.axes();
        const { low, high } = corners(this.drag);
        const [width, height] = [box.width / this.places(p), box.height / this.places(q)];
        const top = this.upwards ? this.places(q) - 1 - high[1] : low[1];
        context.strokeStyle = colours.accent;
        context.lineWidth = 1.5;
        context.setLineDash([4, 3]);
        context.strokeRect(
            box.x + low[0] * width,
            box.y + top * height,
            (high[0] - low[0] + 1) * width,
            (high[1] - low[1] + 1) * height,
        );
        context.setLineDash([]);
    }

    /** Select a rectangle of places; add: extend the selection. If it is selected alone already: select
     * all. */
    select(rectangle, add) {
        if (!this.pick) return;
        const { low, high } = corners(rectangle);
        const picked = add && this.picked ? this.picked.slice() : new Uint8Array(this.field.places);
        for (let j = low[1]; j <= high[1]; j++)
            for (let i = low[0]; i <= high[0]; i++) picked[this.place(i, j)] = 1;
        const isOne = low[0] === high[0] && low[1] === high[1];
        if (isOne && !add && this.picked && this.picked.every((one, place) => one === picked[place])) {
            this.pick(null);
            return;
        }
        this.pick(picked, add && this.picked ? null : this.rectangleText(low, high));
    }

    rectangleText(low, high) {
        const [p, q] = this.axes();
        const where = [this.axisText(p, low[0], high[0])];
        if (this.places(q) > 1) where.push(this.axisText(q, low[1], high[1]));
        if (this.across !== null && this.places(this.across) > 1)
            where.push(this.axisText(this.across, this.layer));
        return where.join(', ');
    }

    cursorBox(context, box, colours) {
        if (document.activeElement !== this.canvas) return;
        const [p, q] = this.axes();
        const width = box.width / this.places(p);
        const height = box.height / this.places(q);
        const row = this.upwards ? this.places(q) - 1 - this.cursor[1] : this.cursor[1];
        context.strokeStyle = colours.accent;
        context.lineWidth = 2;
        context.strokeRect(
            box.x + this.cursor[0] * width - 1,
            box.y + row * height - 1,
            Math.max(4, width + 2),
            Math.max(4, height + 2),
        );
    }

    tell(i, j, x, y) {
        const [p, q] = this.axes();
        const where = [this.axisText(p, i)];
        if (this.places(q) > 1) where.push(this.axisText(q, j));
        if (this.across !== null) where.push(this.axisText(this.across, this.layer));
        const lines = this.describe(this.place(i, j));
        showTip([[where.join(', '), ''], ...(lines.length ? lines : [['', 'no sample here']])], x, y);
        this.canvas.setAttribute(
            'aria-label',
            `map of ${this.field.label}; ${where.join(', ')}: ${lines.map(([key, text]) => `${key} ${text}`).join('; ')}`,
        );
    }

    /** Column and row under the pointer; outside of the picture those next to it, and isInside is false. */
    under(event) {
        const box = this.frame();
        const corner = this.canvas.getBoundingClientRect();
        const [p, q] = this.axes();
        const limits = [this.places(p) - 1, this.places(q) - 1];
        const i = Math.floor(((event.clientX - corner.left - box.x) / box.width) * this.places(p));
        const j = Math.floor(((event.clientY - corner.top - box.y) / box.height) * this.places(q));
        const at = [i, this.upwards ? limits[1] - j : j];
        const inside = at.map((value, k) => Math.min(limits[k], Math.max(0, value)));
        return { at: inside, isInside: at.every((value, k) => value === inside[k]) };
    }

    listen() {
        this.canvas.addEventListener('pointermove', (event) => {
            const { at, isInside } = this.under(event);
            if (this.drag) {
                this.drag[1] = at;
                this.paint();
            }
            if (isInside) this.tell(...at, event.clientX, event.clientY);
            else hideTip();
        });
        this.canvas.addEventListener('pointerdown', (event) => {
            const { at, isInside } = this.under(event);
            if (event.button !== 0 || !isInside || !this.pick) return;
            this.drag = [at, at];
            this.cursor = at;
            this.canvas.setPointerCapture(event.pointerId);
        });
        this.canvas.addEventListener('pointerup', (event) => {
            if (!this.drag) return;
            const rectangle = this.drag;
            this.drag = null;
            this.anchor = rectangle[0];
            this.select(rectangle, event.shiftKey);
        });
        this.canvas.addEventListener('pointercancel', () => {
            this.drag = null;
            this.paint();
        });
        this.canvas.addEventListener('pointerleave', hideTip);
        for (const kind of ['focus', 'blur']) this.canvas.addEventListener(kind, () => this.paint());
        this.canvas.addEventListener('blur', hideTip);
        this.canvas.addEventListener('keydown', (event) => this.walk(event));
    }

    /** Enter: the place at the cursor; with Shift all from where Enter was pressed last. */
    key(event) {
        if (event.key === 'Escape') this.pick?.(null);
        else if (event.key !== 'Enter' && event.key !== ' ') return false;
        else if (event.shiftKey) this.select([this.anchor ?? this.cursor, this.cursor], false);
        else {
            this.anchor = this.cursor;
            this.select([this.cursor, this.cursor], false);
        }
        event.preventDefault();
        return true;
    }

    walk(event) {
        if (this.key(event)) return;
        const up = this.upwards ? 1 : -1;
        const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, up], ArrowDown: [0, -up] }[
            event.key
        ];
        if (!step) return;
        const axes = this.axes();
        this.cursor = this.cursor.map((at, k) =>
            Math.min(this.places(axes[k]) - 1, Math.max(0, at + step[k] * (event.shiftKey ? 10 : 1))),
        );
        const box = this.frame();
        const corner = this.canvas.getBoundingClientRect();
        this.paint();
        this.tell(...this.cursor, corner.left + box.x + box.width, corner.top + box.y);
        event.preventDefault();
    }

    dispose() {
        this.observer.disconnect();
        hideTip();
    }
}

/** pick(mask by place, words): called when places are selected; null: they cannot be selected. */
export function gridPicture(model, field, stage, pick) {
    return new Grid(field, stage, pick);
}
