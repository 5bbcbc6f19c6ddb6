/** Shortcuts; every page works without them. A click on an id copies it, "/" leads to the search, a button prints, a file is hashed. */
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

addEventListener("keydown", (event) => {
  const isTyped = event.target.matches("input, select, textarea");
  if (event.key !== "/" || isTyped || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  document.querySelector(".search input")?.focus();
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
