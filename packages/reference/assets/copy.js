/** Adds a button to each block of code that copies it; the page is complete without it. */
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
