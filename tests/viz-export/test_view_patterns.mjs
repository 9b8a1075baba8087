// SPDX-License-Identifier: BSD-3-Clause
// usage: node test_view_patterns.mjs MODULES CHROMIUM PAGE PAGE_WITHOUT PATTERNS_JSON: the panel agrees with
// loadstone patterns.
import { readFileSync } from 'node:fs';
import { check, finish, openBrowser, openPage } from './browser.mjs';

const [modules, chromium, file, without, json] = process.argv.slice(2);
const { patterns } = JSON.parse(readFileSync(json, 'utf8'));

const browser = await openBrowser(modules, chromium);
try {
    const { page, wrong } = await openPage(browser, file);
    const buttons = page.locator('#patterns .barlist button');
    check((await buttons.count()) === patterns.length, `${patterns.length} patterns`);
    const shares = (await buttons.locator('.amount').allTextContents()).map(parseFloat);
    check(
        shares.every((share, i) => i === 0 || share <= shares[i - 1]),
        `the costliest first: ${shares}`,
    );
    for (const [i, pattern] of patterns.entries()) {
        const button = page.locator(`#patterns button[data-pattern="${i}"]`);
        await button.click();
        check((await button.getAttribute('aria-pressed')) === 'true', `${pattern.name} is chosen`);
        const word = pattern.name.split(' ')[0];
        check((await button.textContent()).startsWith(`${word} `), `${word} is ${word}`);
        const text = await page.locator('#patterns .facts').textContent();
        const accesses = pattern.accesses.toString().replace(/\B(?=(\d{3})+$)/g, ',');
        check(
            text.includes(pattern.class) && text.includes(`${pattern.form}:`) && text.includes(accesses),
            `${pattern.class}, ${pattern.form}, ${accesses} accesses`,
        );
        const dots = (await page.locator('#patterns .dots').getAttribute('d')).split('M').length - 1;
        const { indices } = pattern.configuration;
        const step = Math.ceil(indices / 1000);
        check(
            dots === Math.ceil(indices / (step > 1 ? step | 1 : 1)),
            `${dots} points of ${indices} indices`,
        );
    }
    check(wrong.length === 0, `no errors, no requests ${wrong.join('; ')}`);
    const plain = await openPage(browser, without);
    check(!(await plain.page.locator('#patterns').isVisible()), 'no panel without patterns');
    check(plain.wrong.length === 0, `no errors ${plain.wrong.join('; ')}`);
} finally {
    await browser.close();
}
finish();
