// SPDX-License-Identifier: BSD-3-Clause
// The data of the page: base64 of zlib of (length of the JSON, JSON, columns). Written by viz-export/view/vx_pack.c.
import { unzlibSync, strFromU8 } from 'fflate';

function fromBase64(text) {
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
}

/** LEB128, up to 2^53. */
function readUints(bytes, at, len, out) {
    for (let i = 0; i < len; i++) {
        let value = 0;
        let scale = 1;
        for (;;) {
            const byte = bytes[at++];
            value += (byte & 0x7f) * scale;
            if (byte < 0x80) break;
            scale *= 128;
        }
        out[i] = value;
    }
    return out;
}

const readers = {
    uint: (bytes, { at, len }) => readUints(bytes, at, len, new Float64Array(len)),
    int: (bytes, { at, len }) => {
        const out = readUints(bytes, at, len, new Float64Array(len));
        for (let i = 0; i < len; i++) out[i] = out[i] % 2 ? -(out[i] + 1) / 2 : out[i] / 2;
        return out;
    },
    f24: (bytes, { at, len }) => {
        const bits = new Uint32Array(len);
        for (let i = 0; i < len; i++)
            bits[i] = (bytes[at + i] << 24) | (bytes[at + len + i] << 16) | (bytes[at + 2 * len + i] << 8);
        return new Float32Array(bits.buffer);
    },
};

/** The JSON as an object, with column(name): an array of numbers, or undefined. */
export function unpack(text) {
    const bytes = unzlibSync(fromBase64(text.trim()));
    const jsonLength = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
    const data = JSON.parse(strFromU8(bytes.subarray(4, 4 + jsonLength)));
    const columns = bytes.subarray(4 + jsonLength);
    data.column = (name) => {
        const column = data.columns[name];
        return column && readers[column.type](columns, column);
    };
    return data;
}
