// SPDX-License-Identifier: BSD-3-Clause
// usage: node test_view_layout.mjs MODULES CHROMIUM PAGE PAGE_WITHOUT LAYOUT_JSON: the panel of members agrees with
// loadstone report --layout.
import { readFileSync } from 'node:fs';
import { check, finish, openBrowser, openPage } from './browser.mjs';

const [modules, chromium, file, without, json] = process.argv.slice(2);
const layout = JSON.parse(readFileSync(json, 'utf8'));

const browser = await openBrowser(modules, chromium);
try {
    const { page, wrong } = await openPage(browser, file);
    const select = page.locator('#layout select');
    const types = await select.locator('option').allTextContents();
    check(types.includes(layout.type), `${layout.type} is among ${types}`);
    await select.selectOption({ label: layout.type });
    const rows = page.locator('#layout .members tbody tr:not(.between)');
    check((await rows.count()) === layout.members.length, `${layout.members.length} members`);
    for (const [i, member] of layout.members.entries()) {
        const cells = await rows.nth(i).locator('td').allTextContents();
        check(cells[0] === String(member.offset_bytes), `${member.path} begins at ${member.offset_bytes}`);
        check(cells[1] === String(member.len_bytes), `${member.path} has ${member.len_bytes} bytes`);
        const share =
            member.samples && member.time.share !== null ? `${(100 * member.time.share).toFixed(1)} %` : '';
        check(cells[3] === share, `${member.path} has '${share}' of the time: '${cells[3]}'`);
        if (member.depth !== 1 || !layout.split.is_better) continue;
        const word = layout.split.members.includes(member.path) ? 'keep' : 'move';
        check(cells[8] === word, `${member.path}: ${word}`);
    }
    const facts = await page.locator('#layout .facts').textContent();
    check(
        facts.includes(`${layout.visits.toString().replace(/\B(?=(\d{3})+$)/g, ',')},`),
        `${layout.visits} visits`,
    );
    check(!layout.split.is_better || facts.includes(`keep ${layout.split.members.join(', ')} `), 'the split');
    check(wrong.length === 0, `no errors, no requests ${wrong.join('; ')}`);
    const plain = await openPage(browser, without);
    check(!(await plain.page.locator('#layout').isVisible()), 'no panel without types');
    check(plain.wrong.length === 0, `no errors ${plain.wrong.join('; ')}`);
} finally {
    await browser.close();
}
finish();
