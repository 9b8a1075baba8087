// SPDX-License-Identifier: BSD-3-Clause
// A browser for the tests of the page: Debian's chromium driven by playwright-core. The functions wait for
// states, never for a fixed time; time limits end hanging tests.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const HANG_MS = 120000;

/** modules: the folder that has node_modules. */
export async function openBrowser(modules, executablePath) {
    const { chromium } = createRequire(join(modules, 'package.json'))('playwright-core');
    return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'], timeout: HANG_MS });
}

/** The page with everything that must not happen on it: {page, wrong}. */
export async function openPage(browser, file, options = {}) {
    const page = await browser.newPage({ viewport: { width: 1400, height: 1000 }, ...options });
    const wrong = [];
    const url = pathToFileURL(file).href;
    page.setDefaultTimeout(HANG_MS);
    page.on('console', (message) => message.type() !== 'log' && wrong.push(`console: ${message.text()}`));
    page.on('pageerror', (error) => wrong.push(`error: ${error.stack}`));
    page.on('request', (request) => request.url() !== url && wrong.push(`request: ${request.url()}`));
    page.on('dialog', (dialog) => wrong.push(`dialog: ${dialog.message()}`));
    await page.goto(url);
    await page.waitForSelector('body[data-state=ready]');
    return { page, wrong };
}

/** Change the selection by an action, and wait until the page has drawn it. */
export async function change(page, action) {
    const before = await page.evaluate(() => document.body.dataset.changes);
    await action();
    await page.waitForFunction((n) => document.body.dataset.changes !== n, before);
}

/** Select by clicking into a picture that a library draws. On a busy machine the library may not have laid it
 * out yet and then loses the click, so click again until the selection has changed. */
export async function changeByClick(page, locator, position) {
    const before = await page.evaluate(() => document.body.dataset.changes);
    const changed = () => page.evaluate((n) => document.body.dataset.changes !== n, before);
    for (let attempt = 1; attempt <= 5; attempt++) {
        await locator.click({ position });
        // longer each time: a second click takes back a first one that is only late
        for (let look = 0; look < 40 * attempt; look++) {
            if (await changed()) return;
            await page.waitForTimeout(250);
        }
    }
    throw new Error('clicks change nothing');
}

/** The sums in the bar at the top. */
export async function sums(page) {
    const value = (id) => page.locator(`#${id}`).getAttribute('data-value').then(Number);
    return {
        time_ns: await value('sum-time'),
        stall_ns: await value('sum-stall'),
        samples: await value('sum-samples'),
    };
}

let failed = 0;

export function check(holds, text) {
    console.log(`${holds ? 'ok' : 'FAIL'}  ${text}`);
    if (!holds) failed++;
}

/** Do the sums of got equal want, a row of the report? part: tolerance as a fraction of the whole. */
export function checkSums(got, want, whole, part, text) {
    const known = (value) => (Number.isFinite(value) ? value : 0); // stall without a timed load is not known
    const near = (key) => Math.abs(known(got[key]) - known(want[key])) <= part * whole[key];
    const holds = got.samples === want.samples && near('time_ns') && near('stall_ns');
    check(
        holds,
        `${text}: ${got.samples} samples, ${got.time_ns} ns${holds ? '' : `; wanted ${JSON.stringify(want)}`}`,
    );
}

export function finish() {
    process.exitCode = failed ? 1 : 0;
}
