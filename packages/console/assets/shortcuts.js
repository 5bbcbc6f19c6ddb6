/**
 * Shortcuts; every page works without them. A click on an id copies it, "/" leads to the search, other keys through
 * the rows of lists, and "?" shows them all; a button prints, a file is hashed.
 */
const notice = document.createElement("p");
notice.className = "notice";
notice.role = "status";
document.body.append(notice);

async function copy({ textContent }) {
  await navigator.clipboard.writeText(textContent);
  notice.textContent = `${document.body.dataset.copied}: ${textContent}`;
  setTimeout(() => notice.textContent = "", 2_000);
}

// In a link a click follows the link.
for (const id of document.querySelectorAll("[data-copy]:not(a *)")) {
  id.tabIndex = 0;
  id.role = "button";
  id.addEventListener("click", async () => {
    if (getSelection().isCollapsed) await copy(id);
  });
  id.addEventListener("keydown", async (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    await copy(id);
  });
}

const ROWS = "main tbody tr";
const rows = [...document.querySelectorAll(ROWS)];
for (const row of rows) row.tabIndex = -1;
for (const button of document.querySelectorAll("[popovertarget=keys]")) button.hidden = false;

const rowOf = (element) => element.closest(ROWS);
const tickOf = (element) => rowOf(element)?.querySelector("[type=checkbox]");
const move = (step) => (element) => rows[rows.indexOf(rowOf(element)) + step]?.focus();
/** Moves only from a row: elsewhere the arrows scroll. */
const moveFromRow = (step) => (element) => rowOf(element) ? move(step)(element) : false;

/** Each key by what it does with the element in focus; false where it does nothing. */
const KEYS = {
  "/": () => document.querySelector(".search input")?.focus(),
  "?"() {
    const list = document.getElementById("keys");
    list?.togglePopover();
    if (list?.matches(":popover-open")) list.focus();
  },
  j: move(1),
  k: move(-1),
  ArrowDown: moveFromRow(1),
  ArrowUp: moveFromRow(-1),
  /** Opens the row's page: its first link, else a form that asks for nothing. */
  Enter(row) {
    if (!rows.includes(row)) return false;
    (row.querySelector("a[href]") ??
      row.querySelector("form:not(:has(:is(input:not([type=hidden]), select, textarea))) button"))
      ?.click();
  },
  x(element) {
    const tick = tickOf(element);
    if (!tick) return false;
    tick.click();
    const ticked = document.querySelectorAll("tbody :checked").length;
    notice.textContent = `${document.body.dataset.ticked}: ${ticked}`;
  },
  /** Goes on with what is ticked. */
  "Shift+Enter": (element) => tickOf(element)?.form.requestSubmit() ?? false,
};

/** Where the keyboard writes another script, a key by its place: an Arabic one has ت where others have j. */
const PLACES = { KeyJ: "j", KeyK: "k", KeyX: "x", Slash: "/", "Shift+Slash": "?" };

addEventListener("keydown", (event) => {
  const { key, code, shiftKey, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (target.matches("input:not([type=checkbox]), select, textarea")) return;
  const isOtherScript = key.length === 1 && key > "\x7f";
  const name = isOtherScript
    ? PLACES[shiftKey ? `Shift+${code}` : code]
    : shiftKey && key.length > 1
    ? `Shift+${key}`
    : key;
  if (!Object.hasOwn(KEYS, name) || KEYS[name](target) === false) return;
  event.preventDefault();
});

for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => print());
}

// The file stays in the browser: the form takes its hash alone.
for (const picker of document.querySelectorAll("[data-hashes]")) {
  picker.hidden = false;
  picker.addEventListener("change", async ({ target: { files: [file] } }) => {
    if (file === undefined) return;
    const hash = await crypto.subtle.digest("SHA-256", await file.arrayBuffer());
    const field = picker.parentElement.querySelector(`[name="${picker.dataset.hashes}"]`);
    field.value = Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0"))
      .join("");
  });
}
