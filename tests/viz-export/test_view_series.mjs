// SPDX-License-Identifier: BSD-3-Clause
// usage: node test_view_series.mjs MODULES CHROMIUM PAGE PAGE_WITHOUT SERIES_JSON: the panel agrees with
// loadstone report --series.
import { readFileSync } from 'node:fs';
import { check, finish, openBrowser, openPage } from './browser.mjs';

const [modules, chromium, file, without, json] = process.argv.slice(2);
const rows = JSON.parse(readFileSync(json, 'utf8')).rows.filter((row) => row.phase === '' && !row.is_total);

const browser = await openBrowser(modules, chromium);
try {
    const { page, wrong } = await openPage(browser, file);
    const options = await page.locator('#series select option').allTextContents();
    check(
        options.join() === rows.map((row) => `${row.source} ${row.series}`).join(),
        `counters: ${options.join()}`,
    );
    for (const [i, row] of rows.entries()) {
        await page.locator('#series select').selectOption(String(i));
        const mean = Number(await page.locator('#series').getAttribute('data-mean'));
        const wanted = row.mean_per_s;
        check(Math.abs(mean - wanted) <= 0.05 * Math.abs(wanted), `${row.series}: ${mean}, wanted ${wanted}`);
        check(
            (await page.locator('#series').textContent()).includes(row.verified),
            `${row.series}: ${row.verified}`,
        );
    }
    check((await page.locator('#series canvas').count()) === 1, 'a chart');
    check(wrong.length === 0, `no errors, no requests ${wrong.join('; ')}`);
    const plain = await openPage(browser, without);
    check(!(await plain.page.locator('#series').isVisible()), 'no panel without series');
    check(plain.wrong.length === 0, `no errors ${plain.wrong.join('; ')}`);
} finally {
    await browser.close();
}
finish();
