// SPDX-License-Identifier: BSD-3-Clause
// The state of the page in its address, after the #: filters, the chosen panel, the call that is shown alone. A copy
// of the address opens the page as it is now.
import { RANGES, SETS } from './selection.js';

const PLACES_MAX = 4000; // characters: browsers and mail programs cut addresses

/** The label if it is unique, otherwise #number. */
function nameOf(labels, value) {
    const label = labels[value];
    return labels.indexOf(label) === value && !label.startsWith('#') ? label : `#${value}`;
}

function valueOf(labels, name) {
    const value = name.startsWith('#') ? Number(name.slice(1)) : labels.indexOf(name);
    return Number.isInteger(value) && value >= 0 && value < labels.length ? value : null;
}

/** "3-7,12": the places of a mask. */
function runsOf(mask) {
    const runs = [];
    for (let i = 0; i < mask.length; i++) {
        if (!mask[i]) continue;
        const begin = i;
        while (mask[i + 1]) i++;
        runs.push(begin === i ? String(i) : `${begin}-${i}`);
    }
    return runs.join(',');
}

function maskOf(runs, len) {
    const mask = new Uint8Array(len);
    for (const run of runs.split(',')) {
        const [from, to] = run.split('-').map(Number);
        if (!(from >= 0) || !((to ?? from) < len)) return null;
        mask.fill(1, from, (to ?? from) + 1);
    }
    return mask;
}

function fragmentOf(app) {
    const { model, selection } = app;
    const out = new URLSearchParams();
    if (selection.node !== null) out.append('data', nameOf(model.nodes.path, selection.node));
    for (const dimension of SETS)
        for (const value of selection.sets[dimension])
            out.append(dimension, nameOf(model.labels[dimension], value));
    for (const dimension of RANGES)
        if (selection.ranges[dimension]) out.append(dimension, selection.ranges[dimension].join('-'));
    const runs = selection.places ? runsOf(selection.places.mask) : '';
    if (runs && runs.length <= PLACES_MAX) {
        out.append('place', runs);
        out.append('places', selection.places.text);
    }
    if (app.zoom >= 0) out.append('call', String(app.zoom));
    if (app.panel) out.append('panel', app.panel);
    return out.toString();
}

/** Parts of the address that name nothing here are left out. */
function stateOf(app, fragment) {
    const { model } = app;
    const from = new URLSearchParams(fragment);
    const state = { node: null, sets: {}, ranges: {}, places: null };
    if (from.has('data')) state.node = valueOf(model.nodes.path, from.get('data'));
    for (const dimension of SETS)
        state.sets[dimension] = from
            .getAll(dimension)
            .map((name) => valueOf(model.labels[dimension], name))
            .filter((value) => value !== null);
    for (const dimension of RANGES) {
        const [low, high] = (from.get(dimension) ?? '').split('-').map(Number);
        const isRange = from.has(dimension) && low >= 0 && low <= high && high < model.dims[dimension];
        state.ranges[dimension] = isRange ? [low, high] : null;
    }
    const mask = from.has('place') ? maskOf(from.get('place'), model.tiles.places + 1) : null;
    if (mask) state.places = { mask, text: from.get('places') ?? 'places' };
    return { state, zoom: Number(from.get('call') ?? -1), panel: from.get('panel') };
}

/** Keep the address as the page is, and the page as the address is. choosePanel(id or null) is called for a panel. */
export function keepLink(app, choosePanel) {
    let reading = false;
    const write = () => {
        const fragment = fragmentOf(app);
        if (reading || fragment === location.hash.slice(1)) return;
        history.replaceState(null, '', `#${fragment}`);
    };
    const read = () => {
        const { state, zoom, panel } = stateOf(app, location.hash.slice(1));
        reading = true;
        app.zoom = zoom >= 0 && zoom < app.model.stacks.calls ? zoom : -1;
        app.selection.restore(state);
        choosePanel(panel);
        reading = false;
        write();
    };
    window.addEventListener('hashchange', read);
    if (location.hash.length > 1) read();
    return write;
}
