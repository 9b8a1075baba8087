// SPDX-License-Identifier: BSD-3-Clause
// The selection: by dimension one node with its subtree, a set of values, or a range; places of natural
// domains. Views change it and are notified of changes; a mask per dimension marks the values that pass.
import * as format from './format.js';
import { binBegin } from './model.js';

export const SETS = ['line', 'thread', 'access'];
export const RANGES = ['bin', 'slice'];
export const DIMENSIONS = ['node', ...SETS, ...RANGES];

const TITLES = {
    node: 'data',
    line: 'line',
    thread: 'thread',
    access: 'access',
    bin: 'latency',
    slice: 'time',
    place: 'place',
};

export class Selection {
    constructor(model) {
        this.model = model;
        this.listeners = [];
        this.node = null;
        this.sets = Object.fromEntries(SETS.map((dimension) => [dimension, new Set()]));
        this.ranges = Object.fromEntries(RANGES.map((dimension) => [dimension, null]));
        this.places = null;
        this.makeMasks();
    }

    onChange(listener) {
        this.listeners.push(listener);
    }

    changed() {
        this.makeMasks();
        this.listeners.forEach((listener) => listener(this));
    }

    /** Select a node; selecting it again, or null, clears the selection. */
    selectNode(node) {
        this.node = node === this.node || node === 0 ? null : node;
        this.changed();
    }

    toggle(dimension, value) {
        const set = this.sets[dimension];
        if (!set.delete(value)) set.add(value);
        this.changed();
    }

    /** Values from..to, both included; null: all. */
    selectRange(dimension, range) {
        this.ranges[dimension] = range && [Math.min(...range), Math.max(...range)];
        this.changed();
    }

    /** {mask: by place of the tiles, text}; null: all. */
    selectPlaces(places) {
        if (places === this.places) return;
        this.places = places;
        this.changed();
    }

    /** {node, sets: values by dimension, ranges, places}: as the address of the page names them. */
    restore({ node, sets, ranges, places }) {
        this.node = node === 0 ? null : node;
        SETS.forEach((dimension) => (this.sets[dimension] = new Set(sets[dimension])));
        RANGES.forEach((dimension) => (this.ranges[dimension] = ranges[dimension]));
        this.places = places;
        this.changed();
    }

    clear() {
        this.node = null;
        this.places = null;
        SETS.forEach((dimension) => this.sets[dimension].clear());
        RANGES.forEach((dimension) => (this.ranges[dimension] = null));
        this.changed();
    }

    isEmpty() {
        return this.filters().length === 0;
    }

    has(dimension, value) {
        return this.sets[dimension]?.has(value) ?? false;
    }

    /** Is this dimension filtered? */
    isFiltered(dimension) {
        if (dimension === 'node') return this.node !== null;
        return RANGES.includes(dimension) ? this.ranges[dimension] !== null : this.sets[dimension].size > 0;
    }

    /** Does a filter choose among the accesses of a burst? */
    choosesAccesses() {
        return (
            this.places !== null || ['node', 'access', 'bin'].some((dimension) => this.isFiltered(dimension))
        );
    }

    makeMasks() {
        this.masks = { place: this.places?.mask ?? new Uint8Array(this.model.tiles.places + 1).fill(1) };
        for (const dimension of DIMENSIONS) {
            const mask = new Uint8Array(this.model.dims[dimension]);
            if (!this.isFiltered(dimension)) mask.fill(1);
            else if (dimension === 'node') this.markNode(mask);
            else if (RANGES.includes(dimension))
                mask.fill(1, this.ranges[dimension][0], this.ranges[dimension][1] + 1);
            else this.sets[dimension].forEach((value) => (mask[value] = 1));
            this.masks[dimension] = mask;
        }
    }

    markNode(mask) {
        mask[this.node] = 1;
        this.model.nodes.parent.forEach((parent, n) => {
            if (parent !== null && mask[parent]) mask[n] = 1;
        });
    }

    /** The active filters: a text each, and how to remove it. */
    filters() {
        const out = [];
        if (this.node !== null)
            out.push(this.filter('node', this.model.nodes.path[this.node], () => this.selectNode(this.node)));
        for (const dimension of SETS)
            for (const value of this.sets[dimension])
                out.push(
                    this.filter(dimension, this.model.labels[dimension][value], () =>
                        this.toggle(dimension, value),
                    ),
                );
        for (const dimension of RANGES)
            if (this.ranges[dimension])
                out.push(
                    this.filter(dimension, this.rangeText(dimension), () =>
                        this.selectRange(dimension, null),
                    ),
                );
        if (this.places) out.push(this.filter('place', this.places.text, () => this.selectPlaces(null)));
        return out;
    }

    filter(dimension, text, remove) {
        return { dimension, title: TITLES[dimension], text, remove };
    }

    rangeText(dimension) {
        const [from, to] = this.ranges[dimension];
        if (dimension === 'bin')
            return from === 0 && to === 0
                ? 'without a latency'
                : `${format.digits(binBegin(this.model, from))} to ${format.cycles(binBegin(this.model, to + 1))}`;
        const slice = this.model.durationNs / this.model.tiles.slices;
        return `${format.time(from * slice)} to ${format.time((to + 1) * slice)}`;
    }
}
