#!/usr/bin/env node
// Opens an HTML answer in headless Chromium, as a reader would, and fails if anything is wrong with it.
// usage: check-page.mjs PAGE.html [SCREENSHOTS]
//        needs Chromium (CHROMIUM, default /usr/bin/chromium) and the npm package playwright-core
// checks: no console message, no request but for the page itself; a citation shows its quotation when focused and leads
//         to it when clicked; a link into a closed passage opens it; Tab reaches everything once, in the order of the page,
//         in sight and with a ring around it; a citation, its quotation, its passage and the way back without a mouse; both themes (screenshots light.png and dark.png)
import { pathToFileURL } from "node:url";
import { createRequire } from "node:module";

const { chromium } = createRequire(process.cwd() + "/")("playwright-core");
const [page_file, screenshots] = process.argv.slice(2);
const wrong = [];
const expect = (holds, what) => { if (!holds) wrong.push(what); };
// Whether something comes to hold: what a click or a key sets going is done a moment later.
const soon = (page, check, given) => page.waitForFunction(check, given, { timeout: 5000 }).then(() => true, () => false);
const is_open = (id) => document.getElementById(id).open;
const is_closed = (id) => !document.getElementById(id).open;

// Where the focus is: nothing on the page, or what it is and how it looks.
const focused = (page) => page.evaluate(() => {
  const at = document.activeElement;
  if (!at || at === document.body) return null;
  const [box, style] = [at.getBoundingClientRect(), getComputedStyle(at)];
  return {
    nth: [...document.querySelectorAll("a[href], summary, [tabindex]")].indexOf(at),
    what: `${at.tagName} ${at.getAttribute("href") ?? at.textContent.trim().slice(0, 40)}`,
    href: at.getAttribute("href"),
    ring: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
    seen: box.bottom > 0 && box.top < innerHeight && box.width > 0 && box.height > 0,
    passage: at.tagName === "SUMMARY" ? at.parentElement.id : null,
  };
});

// The page by keyboard alone.
async function walk(page) {
  const reachable = await page.evaluate(() => {
    const all = [...document.querySelectorAll("a[href], summary, [tabindex='0']")];
    return all.filter((one) => one.checkVisibility() && !(one.tagName !== "SUMMARY" && one.closest("details:not([open])"))).length;
  });
  const seen = [];
  for (let stop = 0; stop <= reachable; stop += 1) {
    await page.keyboard.press("Tab");
    const at = await focused(page);
    if (!at) break;
    expect(at.ring, `the focus is visible on ${at.what}`);
    expect(at.seen, `${at.what} is in sight when focused`);
    expect(seen.length === 0 || at.nth > seen[seen.length - 1], `${at.what} comes in the order of the page`);
    seen.push(at.nth);
  }
  expect(seen.length === reachable, `Tab reaches ${seen.length} of ${reachable}`);
  const cite = page.locator("a.cite").first();
  if (await cite.count() === 0) return;
  await cite.focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  const quotation = (await cite.getAttribute("href")).slice(1);
  expect(await page.evaluate((id) => document.getElementById(id).contains(document.activeElement), quotation), "Enter on a citation leads to its quotation");
  const passage = (await focused(page)).href.slice(1);
  await page.keyboard.press("Enter");
  expect(await soon(page, is_open, passage), "Enter on its link opens the passage");
  await page.keyboard.press("Tab");
  expect((await focused(page))?.passage === passage, "and leads there");
  await page.keyboard.press("Space");
  expect(await soon(page, is_closed, passage), "Space closes it");
  const back = page.locator(`#${quotation} a`).last();
  await back.focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  const next = await focused(page);
  // The next citation of the same answer; another answer on the page is not next.
  const own = page.locator("article", { has: cite }).first().locator("a.cite");
  expect(await own.count() < 2 || next?.href === await own.nth(1).getAttribute("href"), `the way back leads to the answer, and on to its next citation, not to ${next?.what}`);
  await page.goto(page.url().split("#")[0]);
}

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
  await walk(page);
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
    expect(await soon(page, is_open, passage), "the passage opens");
    expect(await page.locator(`details#${passage} mark`).first().isVisible(), "the quoted words are marked");
  }
  await page.close();
  console.log(`${colorScheme}: ${count} citations, ${requests.length} request`);
}
await browser.close();
for (const what of wrong) console.error(`wrong: ${what}`);
process.exit(wrong.length > 0 ? 1 : 0);
