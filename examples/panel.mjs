// SPDX-License-Identifier: BSD-3-Clause
// usage: node panel.mjs MODULES CHROMIUM PAGE PANEL OUT.png: a panel of a page of loadstone view as a picture.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [modules, chromium, page, panel, out] = process.argv.slice(2);
const { chromium: browsers } = createRequire(join(modules, 'package.json'))('playwright-core');
const browser = await browsers.launch({ executablePath: chromium, args: ['--no-sandbox', '--disable-gpu'] });
try {
    const tab = await browser.newPage({ viewport: { width: 1200, height: 900 }, colorScheme: 'light' });
    await tab.goto(pathToFileURL(page).href);
    await tab.waitForSelector('body[data-state=ready]');
    await tab.locator(`#${panel}`).screenshot({ path: out });
} finally {
    await browser.close();
}
