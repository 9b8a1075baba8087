// SPDX-License-Identifier: BSD-3-Clause
// A panel as a picture (PNG) or as a table (CSV), to be saved. The picture is drawn by the browser from a copy of the
// panel, in which canvases and controls are images and texts.
import { h } from './dom.js';
import { LEVELS } from './model.js';
import { isDark } from './theme.js';

const SCALE = 2; // pixels of the picture for one of the page

function download(name, blob) {
    const url = URL.createObjectURL(blob);
    const link = h('a', { href: url, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 60000);
}

function cell(value) {
    if (typeof value === 'number') return Number.isFinite(value) ? String(value) : '';
    const text = String(value ?? '');
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** {head, rows} as comma-separated values. */
export function toCsv({ head, rows }) {
    return [head, ...rows].map((row) => row.map(cell).join(',')).join('\r\n') + '\r\n';
}

/** Columns that rows of sums have in tables. */
export const SUMS_HEAD = [
    ...['time_ns', 'stall_ns', 'samples', 'loads', 'stores', 'timed_loads', 'latency_mean_cycles'],
    ...['l1', 'l2', 'l3', 'dram'],
];

export function sumsCells(row) {
    const { timeNs, stallNs, samples, loads, stores, measured } = row;
    const cells = [timeNs, stallNs, samples, loads, stores, measured, row.latency / measured];
    for (let l = 0; l < LEVELS; l++) cells.push(row.levels[l]);
    return cells;
}

const style = () => [...document.querySelectorAll('style')].map((element) => element.textContent).join('\n');

/** Characters that XML cannot hold. */
const plain = (text) => text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd');

function copyOf(element) {
    const copy = element.cloneNode(true);
    const drawn = [...element.querySelectorAll('canvas')];
    [...copy.querySelectorAll('canvas')].forEach((canvas, i) => {
        const { width, height } = drawn[i].getBoundingClientRect();
        const size = `display:block;width:${width}px;height:${height}px;${canvas.getAttribute('style') ?? ''}`;
        canvas.replaceWith(h('img', { src: drawn[i].toDataURL(), style: undefined, 'data-size': size }));
    });
    copy.querySelectorAll('img').forEach((image) => image.setAttribute('style', image.dataset.size));
    const chosen = [...element.querySelectorAll('select')].map(
        (select) => select.selectedOptions[0]?.text ?? '',
    );
    [...copy.querySelectorAll('select')].forEach((select, i) => select.replaceWith(h('b', {}, chosen[i])));
    copy.querySelectorAll('.save').forEach((buttons) => buttons.remove());
    return copy;
}

/** Convert the panel to an SVG image that contains a copy of it. */
function toSvg(element) {
    const { width, height } = element.getBoundingClientRect();
    const size = `width="${width}" height="${height}"`;
    const body = h('body', { style: undefined, xmlns: 'http://www.w3.org/1999/xhtml' }, copyOf(element));
    const text = plain(new XMLSerializer().serializeToString(body));
    const theme = isDark() ? 'dark' : 'light';
    const rules = plain(style()).replaceAll(']]>', ']] >');
    return (
        `<svg xmlns="http://www.w3.org/2000/svg" ${size} data-theme="${theme}"><style><![CDATA[${rules}\n` +
        `.panel{height:${height}px;margin:0}]]></style><foreignObject ${size}>${text}</foreignObject></svg>`
    );
}

/** Errors: a browser that draws no copies of elements. */
async function toPng(element) {
    const { width, height } = element.getBoundingClientRect();
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(toSvg(element))}`;
    await image.decode();
    const canvas = h('canvas', { width: Math.ceil(width * SCALE), height: Math.ceil(height * SCALE) });
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((resolve, reject) =>
        canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png'),
    );
}

/** Buttons for a view's panel; view.table gives the content of the CSV file. */
export function addSaveButtons(app, view) {
    const { element } = view;
    if (!view.table || element.hidden) return;
    const name = `${app.model.title.replace(/[^\w.-]+/g, '_')}-${element.id}`;
    const title = element.querySelector('h2').textContent;
    const button = (text, words, onclick) =>
        h(
            'button',
            { type: 'button', 'aria-label': `save ${title} as ${text}`, title: words, onclick },
            text,
        );
    const png = button('PNG', 'a picture (PNG)', () =>
        toPng(element).then(
            (blob) => download(`${name}.png`, blob),
            (error) => (png.title = `this browser cannot draw it: ${error.message}`),
        ),
    );
    const csv = button('CSV', 'a table (CSV)', () =>
        download(`${name}.csv`, new Blob([toCsv(view.table())], { type: 'text/csv' })),
    );
    element.querySelector('h2').after(h('span', { class: 'save' }, png, csv));
}
