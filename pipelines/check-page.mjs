#!/usr/bin/env node
// Opens an HTML answer in headless Chromium, as a reader would, and fails if anything is wrong with it.
// usage: check-page.mjs PAGE.html [SCREENSHOTS]
//        needs Chromium (CHROMIUM, default /usr/bin/chromium) and the npm package playwright-core
// checks: no console message, no request but for the page itself; a citation shows its quotation when focused and leads
//         to it when clicked; a link into a closed passage opens it; both themes (screenshots light.png and dark.png)
import { pathToFileURL } from "node:url";
import { createRequire } from "node:module";

const { chromium } = createRequire(process.cwd() + "/")("playwright-core");
const [page_file, screenshots] = process.argv.slice(2);
const wrong = [];
const expect = (holds, what) => { if (!holds) wrong.push(what); };
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"],
});
for (const colorScheme of ["light", "dark"]) {
  const page = await browser.newPage({ colorScheme, viewport: { width: 1000, height: 1400 } });
  const requests = [];
  page.on("console", (message) => wrong.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
  page.on("request", (request) => requests.push(request.url()));
  const url = pathToFileURL(page_file).href;
  await page.goto(url);
  const outside = requests.filter((asked) => asked !== url && !asked.startsWith("data:"));
  expect(outside.length === 0, `asked for ${outside}`);
  if (screenshots) await page.screenshot({ path: `${screenshots}/${colorScheme}.png` });
  const cites = page.locator("a.cite");
  const count = await cites.count();
  if (count > 0) {
    await cites.first().focus();
    const box = page.locator("#quoted");
    const target = (await cites.first().getAttribute("href")).slice(1);
    const quote = await page.locator(`#${target} blockquote`).textContent();
    expect(await box.isVisible() && (await box.textContent()) === quote, "focus shows the quotation");
    await page.keyboard.press("Escape");
    expect(!(await box.isVisible()), "Escape hides the quotation");
    for (let at = 0; at < count; at += 1) {
      const hash = await cites.nth(at).getAttribute("href");
      await cites.nth(at).click();
      expect(page.url().endsWith(hash), `citation ${at + 1} leads to ${hash}`);
      expect(await page.locator(hash).count() === 1, `${hash} is there once`);
    }
    const inside = page.locator("ol.quotes a").first();
    const passage = (await inside.getAttribute("href")).slice(1);
    await inside.click();
    expect(await page.locator(`details#${passage}`).getAttribute("open") !== null, "the passage opens");
    expect(await page.locator(`details#${passage} mark`).first().isVisible(), "the quoted words are marked");
  }
  await page.close();
  console.log(`${colorScheme}: ${count} citations, ${requests.length} request`);
}
await browser.close();
for (const what of wrong) console.error(`wrong: ${what}`);
process.exit(wrong.length > 0 ? 1 : 0);
