/** The page's style: light or dark by the reader's preference, with system fonts. */
export const STYLE = `
:root { color-scheme: light dark; --text: #1d1c1a; --soft: #5a564f; --back: #fffdf9; --panel: #f5f1e8;
  --line: #d9d2c3; --link: #7a4b00; --mark: #7a4b00; }
@media (prefers-color-scheme: dark) { :root { --text: #ece8df; --soft: #b4ada0; --back: #191816;
  --panel: #24221f; --line: #423e37; --link: #f0c36b; --mark: #f0c36b; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; background: var(--back); color: var(--text);
  font: 1rem/1.6 ui-sans-serif, system-ui, sans-serif; }
a { color: var(--link); text-underline-offset: .15em; }
a:focus-visible, [tabindex]:focus-visible, button:focus-visible { outline: 3px solid var(--mark);
  outline-offset: 2px; }
.skip { position: absolute; left: -999rem; } .skip:focus { left: 1rem; top: 1rem; background: var(--back);
  padding: .5rem 1rem; z-index: 1; }
header, main, footer { max-width: 54rem; padding: 0 1.5rem; margin: 0 auto; }
header { padding-top: 2.5rem; }
h1, h2, h3, h4 { line-height: 1.25; text-wrap: balance; }
h1 { font-size: 2.2rem; margin: 0 0 .25rem; }
h2 { font-size: 1.6rem; margin: 3.5rem 0 1rem; padding-top: 1rem; border-top: 2px solid var(--line); }
h3 { font-size: 1.15rem; margin: 2.5rem 0 .5rem; overflow-wrap: anywhere; }
h4 { font-size: 1rem; margin: 1.4rem 0 .4rem; }
h3 small { font-weight: 400; font-size: 1rem; color: var(--soft); margin-left: .5rem; }
code, pre { font-family: ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace; font-size: .9em; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: .8rem 1rem;
  overflow-x: auto; line-height: 1.45; position: relative; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; }
th, td { text-align: left; vertical-align: top; padding: .4rem .8rem .4rem 0;
  border-bottom: 1px solid var(--line); }
tbody th { font-weight: 400; white-space: nowrap; }
.note, .needs { color: var(--soft); font-size: .92rem; }
.method { color: var(--mark); }
.codes { columns: 17rem; padding-left: 1.2rem; margin: .3rem 0; }
nav ul { list-style: none; padding-left: 0; margin: .2rem 0 1rem; }
nav > ul > li > a { font-weight: 600; }
nav a { text-decoration: none; } nav a:hover { text-decoration: underline; }
nav { padding: 0 1.5rem; max-width: 54rem; margin: 0 auto; font-size: .95rem; }
button { position: absolute; top: .4rem; right: .4rem; font: inherit; padding: .1rem .6rem; cursor: pointer;
  color: var(--text); background: var(--back); border: 1px solid var(--line); border-radius: 4px; }
.block { position: relative; }
footer { padding: 3rem 1.5rem; color: var(--soft); }
@media (min-width: 80rem) {
  body { display: grid; grid-template-columns: 20rem minmax(0, 1fr); }
  nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 2rem 1.5rem;
    border-right: 1px solid var(--line); grid-row: 1 / span 3; margin: 0; width: 20rem; }
  header, main, footer { grid-column: 2; width: 100%; margin: 0; padding-left: 3rem; max-width: 62rem; }
}
@media print { nav, button { display: none; } }
`;

/** A script that adds a button to each command for copying it; the page is complete without it. */
export const SCRIPT = `
for (const block of document.querySelectorAll("pre")) {
  if (!navigator.clipboard) break;
  const around = document.createElement("div");
  around.className = "block";
  block.replaceWith(around);
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.setAttribute("aria-label", "Copy: " + block.getAttribute("aria-label"));
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.textContent);
    button.textContent = "Copied";
    setTimeout(() => button.textContent = "Copy", 2000);
  });
  around.append(block, button);
}
`;
