// SPDX-License-Identifier: BSD-3-Clause
// usage: node build.mjs MAIN_JS OUTPUT_DIR: view.js and view.css, minified, with everything they need. The packages
// are those beside this file, so that sources may be read-only and elsewhere.
import { build } from 'esbuild';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const [main, outdir] = process.argv.slice(2);

await build({
    entryPoints: { view: resolve(main) },
    outdir: resolve(outdir),
    bundle: true,
    minify: true,
    format: 'iife',
    target: ['es2020'],
    charset: 'utf8',
    legalComments: 'inline',
    nodePaths: [join(dirname(fileURLToPath(import.meta.url)), 'node_modules')],
    logLevel: 'warning',
});
