// SPDX-License-Identifier: BSD-3-Clause
// usage: node test_view_large.mjs MODULES CHROMIUM PAGE REPORT_JSON: a page of millions of samples opens, and its
// filters give the report's numbers.
import { readFileSync } from 'node:fs';
import { change, check, checkSums, finish, openBrowser, openPage, sums } from './browser.mjs';

const [modules, chromium, file, report] = process.argv.slice(2);
const { rows } = JSON.parse(readFileSync(report, 'utf8'));
const [whole] = rows;

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
    check(hint.includes('random pick of 50,000 of 5,000,000 samples'), hint);
    check(wrong.length === 0, `no errors, no requests ${wrong.join('; ')}`);
} finally {
    await browser.close();
}
finish();
