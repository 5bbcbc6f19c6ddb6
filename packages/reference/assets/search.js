/**
 * Searches the page's own index as one types; nothing is asked of a server. "/" leads to the field, Enter to the
 * first that was found, the arrows through all.
 */
const SHOWN = 30;

/**
 * Finds the entries in which every word of the query is; those whose name is the query come first, then those
 * whose name begins with it, then those whose name has it.
 */
export function find(entries, query) {
  const wanted = query.trim().toLowerCase();
  const words = wanted.split(/\s+/);
  if (wanted === "") return [];
  const rank = (name) => {
    if (name === wanted) return 0;
    if (name.startsWith(wanted)) return 1;
    return name.includes(wanted) ? 2 : 3;
  };
  return entries
    .filter(({ name, about }) => {
      const text = `${name} ${about}`.toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .map((entry) => [rank(entry.name.toLowerCase()), entry])
    .sort(([rank, { name }], [otherRank, other]) =>
      rank - otherRank || name.length - other.name.length
    )
    .map(([, entry]) => entry);
}

const make = (tag, textContent, more = {}) =>
  Object.assign(document.createElement(tag), { textContent, ...more });

function itemOf({ kind, name, about, places }) {
  const item = document.createElement("li");
  const of = places.length > 1 || places[0][0] !== name ? " of " : "";
  item.append(
    make("code", name),
    make("span", ` ${kind.toLowerCase()}${of || (about && ": ")}${about} `),
    ...places.map(([label, anchor]) => make("a", label, { href: `#${anchor}` })),
  );
  return item;
}

function start() {
  const entries = JSON.parse(document.getElementById("search-index").textContent);
  const form = document.querySelector(".search");
  const [input, list, status] = ["input", "ul", "p"].map((name) => form.querySelector(name));
  const show = () => {
    const found = find(entries, input.value);
    list.replaceChildren(...found.slice(0, SHOWN).map(itemOf));
    const more = found.length > SHOWN ? `, the first ${SHOWN} are shown` : "";
    status.textContent = input.value.trim() === "" ? "" : `${found.length} found${more}`;
  };
  const clear = () => {
    input.value = "";
    show();
  };
  form.hidden = false;
  input.addEventListener("input", show);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    list.querySelector("a")?.click();
  });
  form.addEventListener("click", (event) => {
    if (event.target.closest("a")) setTimeout(clear);
  });
  form.addEventListener("keydown", (event) => {
    const links = [...list.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    if (event.key === "Escape") {
      clear();
      input.focus();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      (links[at + (event.key === "ArrowDown" ? 1 : -1)] ?? input).focus();
    }
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.matches("input, textarea")) return;
    event.preventDefault();
    input.focus();
  });
  // The contents would be all that a phone shows.
  if (matchMedia("(max-width: 50rem)").matches) document.querySelector("nav details").open = false;
}

if (globalThis.document) start();
