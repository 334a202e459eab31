/** The style and the script of the documentation's pages. Their names contain a hash of their content, so that browsers may keep them for good. */
import { createHash } from 'node:crypto';
import type { Assets } from './page.ts';

const STYLE = `:root {
  color-scheme: light dark;
  --ink: light-dark(#16191d, #e9ebee);
  --soft: light-dark(#535c68, #a7afba);
  --paper: light-dark(#ffffff, #121417);
  --sunk: light-dark(#f3f5f6, #1c2025);
  --line: light-dark(#dcdfe4, #33383f);
  --edge: light-dark(#838c98, #6d7682);
  --accent: light-dark(#0a5c36, #63d19a);
  --wash: light-dark(#e6f2ec, #16301f);
  --font: system-ui, -apple-system, "Segoe UI", "Noto Sans", Roboto, sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", monospace;
}
* { box-sizing: border-box; }
html { scroll-padding-top: 72px; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px / 1.6 var(--font); -webkit-text-size-adjust: 100%; }
a { color: var(--accent); text-underline-offset: 2px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
.skip { position: absolute; left: -9999px; }
.skip:focus { left: 8px; top: 8px; z-index: 2; padding: 8px; background: var(--paper); }
header { position: sticky; top: 0; z-index: 1; display: flex; gap: 24px; align-items: center; padding: 10px 24px; background: var(--paper); border-bottom: 1px solid var(--line); }
header > a { text-decoration: none; white-space: nowrap; }
header > a:hover { text-decoration: underline; }
.brand { font-weight: 700; color: var(--ink); }
.brand span { font-weight: 400; color: var(--soft); }
header form { flex: 1; max-width: 460px; margin-right: auto; }
header label { position: absolute; clip-path: inset(50%); height: 1px; width: 1px; overflow: hidden; }
input[type="search"] { width: 100%; height: 36px; padding: 0 12px; font: inherit; font-size: 15px; color: inherit; background: var(--sunk); border: 1px solid var(--edge); border-radius: 6px; }
.columns { display: grid; grid-template-columns: 240px minmax(0, 1fr) 220px; gap: 40px; max-width: 1360px; margin: 0 auto; padding: 0 24px; }
.contents, .aside { position: sticky; top: 58px; align-self: start; max-height: calc(100vh - 58px); overflow-y: auto; padding: 24px 0; font-size: 14px; line-height: 1.4; }
.contents > summary { display: none; }
.contents h2, .aside h2, .contents details summary { margin: 20px 0 6px; font-size: 12px; font-weight: 650; color: var(--soft); }
.contents nav > h2:first-child, .aside h2 { margin-top: 0; }
.contents ul, .aside ul { margin: 0; padding: 0; list-style: none; }
.contents li a, .aside li a { display: block; padding: 4px 8px; color: var(--ink); text-decoration: none; border-radius: 4px; overflow-wrap: anywhere; }
.contents li a:hover, .aside li a:hover { background: var(--sunk); }
.contents a[aria-current] { background: var(--wash); color: var(--accent); font-weight: 600; }
.aside .depth-3 { padding-left: 12px; }
.aside li a { color: var(--soft); }
main { padding: 24px 0 64px; min-width: 0; }
main:focus { outline: none; }
article { max-width: 860px; overflow-wrap: break-word; }
article h1 { margin: 0 0 16px; font-size: 30px; line-height: 1.2; }
article h2 { margin: 40px 0 12px; padding-top: 12px; font-size: 21px; line-height: 1.3; border-top: 1px solid var(--line); }
article h3 { margin: 28px 0 8px; font-size: 17px; }
article img { max-width: 100%; height: auto; border: 1px solid var(--line); border-radius: 8px; }
.anchor { color: var(--edge); font-weight: 400; text-decoration: none; opacity: 0; }
:is(h1, h2, h3, h4):hover .anchor, .anchor:focus { opacity: 1; }
code { font: 0.88em / 1.5 var(--mono); }
:not(pre) > code { padding: 1px 4px; background: var(--sunk); border-radius: 4px; overflow-wrap: anywhere; }
.code { position: relative; }
pre { margin: 16px 0; padding: 14px 16px; overflow-x: auto; background: var(--sunk); border: 1px solid var(--line); border-radius: 8px; }
.code button { position: absolute; top: 8px; right: 8px; padding: 4px 10px; font: 13px var(--font); color: var(--ink); background: var(--paper); border: 1px solid var(--edge); border-radius: 5px; cursor: pointer; }
.samples { display: flex; flex-wrap: wrap; gap: 4px; margin: 16px 0; }
.samples input { position: absolute; opacity: 0; }
.samples label { padding: 4px 10px; font-size: 14px; color: var(--soft); border-radius: 5px; cursor: pointer; }
.samples input:checked + label { background: var(--wash); color: var(--accent); font-weight: 600; }
.samples input:focus-visible + label { outline: 2px solid var(--accent); outline-offset: 2px; }
.samples .code { display: none; flex-basis: 100%; min-width: 0; }
.samples pre { margin: 4px 0 0; }
.samples input:nth-of-type(1):checked ~ .code:nth-of-type(1),
.samples input:nth-of-type(2):checked ~ .code:nth-of-type(2),
.samples input:nth-of-type(3):checked ~ .code:nth-of-type(3) { display: block; }
@media (hover: hover) { .code:not(:hover) button:not(:focus-visible) { opacity: 0; } }
.scroll { overflow-x: auto; margin: 16px 0; }
table { border-collapse: collapse; font-size: 14px; line-height: 1.45; }
th, td { padding: 7px 12px 7px 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
td { min-width: 72px; }
th { color: var(--soft); font-weight: 600; }
td :not(pre) > code, td > code { overflow-wrap: normal; }
blockquote { margin: 16px 0; padding: 2px 16px; border-left: 3px solid var(--accent); color: var(--soft); }
.source { margin-top: 48px; font-size: 14px; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(250px, 1fr)); gap: 8px 24px; margin: 0; padding: 0; list-style: none; }
.cards p, .hits p { margin: 2px 0 12px; font-size: 14px; line-height: 1.45; color: var(--soft); }
.cards a, .hits a { font-weight: 600; }
.hits { padding-left: 24px; }
mark { color: inherit; background: var(--wash); font-weight: 600; }
@media (max-width: 1100px) {
  .columns { grid-template-columns: 220px minmax(0, 1fr); gap: 32px; }
  .aside { display: none; }
}
@media (max-width: 760px) {
  header { flex-wrap: wrap; gap: 8px 16px; padding: 10px 16px; }
  header form { order: 1; flex-basis: 100%; max-width: none; }
  .brand { margin-right: auto; }
  html { scroll-padding-top: 112px; }
  .columns { display: block; padding: 0 16px; }
  .contents { position: static; max-height: none; padding: 16px 0 0; }
  .contents > summary { display: list-item; padding: 6px 0; font-weight: 600; cursor: pointer; }
  article h1 { font-size: 25px; }
}
@media print { header, .contents, .aside, .source, .code button, .samples label { display: none; } .samples .code { display: block; } .columns { display: block; } }
`;

/** The language of the samples is chosen once for all pages. On a narrow screen the contents open when somebody asks for them, since they are longer than the page. \`/\` goes to the search. */
const SCRIPT = `for (const block of document.querySelectorAll('.code')) {
  if (!navigator.clipboard) break;
  const button = document.createElement('button');
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.querySelector('code').textContent);
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });
  block.append(button);
}
const tabs = [...document.querySelectorAll('.samples input')];
const choose = (language) => { for (const tab of tabs) if (tab.value === language) tab.checked = true; };
for (const tab of tabs) tab.addEventListener('change', () => {
  const before = tab.parentElement.getBoundingClientRect().top;
  choose(tab.value);
  scrollBy(0, tab.parentElement.getBoundingClientRect().top - before);
  localStorage.setItem('confam-docs-language', tab.value);
});
choose(localStorage.getItem('confam-docs-language'));
const contents = document.querySelector('.contents');
if (matchMedia('(max-width: 760px)').matches) contents.open = false;
const current = contents.querySelector('[aria-current]');
if (current) contents.scrollTop = current.offsetTop - contents.clientHeight / 2;
document.addEventListener('keydown', (event) => {
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  document.getElementById('q').focus();
});
`;

const named = (stem: string, ending: string, content: string): string =>
  `${stem}-${createHash('sha256').update(content).digest('hex').slice(0, 10)}.${ending}`;

export const assets: Assets = { style: named('site', 'css', STYLE), script: named('site', 'js', SCRIPT) };

export const assetFiles: ReadonlyMap<string, { type: string; content: string }> = new Map([
  [assets.style, { type: 'text/css; charset=utf-8', content: STYLE }],
  [assets.script, { type: 'text/javascript; charset=utf-8', content: SCRIPT }],
]);
