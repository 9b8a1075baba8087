// SPDX-License-Identifier: BSD-3-Clause
// Selecting on a map: from places of a picture to places of the tiles and back. A place of the picture is one
// of the field's, or several where it is drawn more coarsely or flat.

/** Where tiles were merged, the first cell of a box represents all: a box is selected as a whole. */
function standIns(model, field) {
    const side = 2 ** model.tiles.placeLevel;
    const [nx, ny] = (field.fineAxes ?? field.axes).map((axis) => axis.places);
    const down = (at) => at - (at % side);
    return (i) => (down(Math.floor(i / (nx * ny))) * ny + down(Math.floor(i / nx) % ny)) * nx + down(i % nx);
}

/** {mask: by place of the tiles, text} of the places that were picked (by place of the picture). */
export function selectionOf(model, field, picked, text) {
    const mask = new Uint8Array(model.tiles.places + 1);
    const len = field.map?.length ?? field.places;
    const first = 1 + field.firstPlace;
    for (let i = 0; i < len; i++) if (picked[field.map ? field.map[i] : i]) mask[first + i] = 1;
    if (field.drawn === 'grid' && model.tiles.placeLevel > 0) {
        const of = standIns(model, field);
        for (let i = 0; i < len; i++) if (mask[first + i]) mask[first + of(i)] = 1;
        for (let i = 0; i < len; i++) if (mask[first + of(i)]) mask[first + i] = 1;
    }
    return { mask, text };
}

/** The selected part by place of the picture; null: nothing. */
export function pickedOf(model, selection, field) {
    if (!selection.places) return null;
    const { mask } = selection.places;
    const picked = new Uint8Array(field.places);
    const len = field.map?.length ?? field.places;
    let any = false;
    for (let i = 0; i < len; i++)
        if (mask[1 + field.firstPlace + i]) {
            picked[field.map ? field.map[i] : i] = 1;
            any = true;
        }
    return any ? picked : null;
}

export const count = (picked) => picked.reduce((sum, one) => sum + one, 0);
