// SPDX-License-Identifier: BSD-3-Clause
// usage: node check_view_large.mjs MODULES CHROMIUM PAGE REPORT_JSON MAPPED_PAGE: a page of millions of
// samples opens, and its filters give the report's numbers. The time of each filter is printed, but not
// checked.
import { readFileSync } from 'node:fs';
import { change, check, checkSums, finish, openBrowser, openPage, sums } from './browser.mjs';

const [modules, chromium, file, report, mapped] = process.argv.slice(2);
const { rows } = JSON.parse(readFileSync(report, 'utf8'));
const [whole] = rows;

/** Milliseconds that the page works when an element is clicked, or gets a key: all panels, without the lines that
 * are drawn later a part a frame. */
const workOf = (locator, key) =>
    locator.evaluate((element, pressed) => {
        const begin = performance.now();
        if (pressed) element.dispatchEvent(new KeyboardEvent('keydown', { key: pressed, bubbles: true }));
        else element.click();
        return performance.now() - begin;
    }, key);

function tell(what, times) {
    times.sort((a, b) => a - b);
    const [middle, most] = [times[times.length >> 1], times[times.length - 1]].map((ms) => ms.toFixed(0));
    console.log(`time  ${what}: ${middle} ms (median of ${times.length}), ${most} ms at most`);
}

async function timesOf(page, what) {
    const threads = page.locator('#threads .barlist button');
    const times = [];
    for (let i = 0; i < 10; i++) times.push(await workOf(threads.nth(i % (await threads.count())), null));
    await workOf(page.locator('#reset'), null);
    tell(`a filter by thread, ${what}`, times);
}

const browser = await openBrowser(modules, chromium);
try {
    const { page, wrong } = await openPage(browser, file);
    checkSums(await sums(page), whole, whole, 1e-6, 'everything');
    await page.getByRole('button', { name: 'Table' }).click(); // in the icicle the smallest are less than a pixel
    for (const row of rows.slice(1)) {
        await change(page, () => page.locator(`#tree tr[data-node="${row.id}"] button`).click());
        checkSums(await sums(page), row, whole, 1e-6, row.label);
        await page.locator('.parallel[data-state=drawn]').waitFor();
        await change(page, () => page.locator('#reset').click());
    }
    const hint = await page.locator('#samples .hint').textContent();
    await timesOf(page, 'page of data alone');
    check(hint.includes('random selection of 50,000 of 5,000,000 samples'), hint);
    check(wrong.length === 0, `no errors, no requests ${wrong.join('; ')}`);
    const maps = await openPage(browser, mapped);
    await timesOf(maps.page, 'page with maps');
    const canvas = maps.page.locator('#map canvas[data-state=drawn]');
    const places = [];
    for (const key of ['Enter', 'ArrowRight', 'Enter', 'ArrowDown', 'Enter']) {
        const ms = await workOf(canvas, key);
        if (key === 'Enter') places.push(ms);
    }
    tell('a filter by place', places);
    check((await maps.page.locator('.chip').count()) === 1, 'a place of the map is selected');
    check(maps.wrong.length === 0, `no errors, no requests ${maps.wrong.join('; ')}`);
} finally {
    await browser.close();
}
finish();
