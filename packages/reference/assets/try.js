/**
 * Sends the calls of the forms: the process beside the page signs them with the sandbox's kit. Ids that come back
 * take the place of the examples in the other forms, so that an order finds its quote.
 */
const ID = /\b(qt|ord|wd|evt)_[0-9a-f-]{36}\b/g;
const latest = new Map();

/** Keeps the ids of an answer: its own, and that of a list's first item. */
function keepIds(answer) {
  const { id, data } = answer;
  for (const [found, prefix] of `${id} ${data?.[0]?.id}`.matchAll(ID)) latest.set(prefix, found);
  for (const field of document.querySelectorAll("form.try :is(input, textarea)")) {
    field.value = field.value.replace(ID, (example, prefix) => latest.get(prefix) ?? example);
  }
}

/** Makes the text of an answer readable, where it is JSON: no amount has more digits than a double. */
function readable(text) {
  try {
    const answer = JSON.parse(text);
    keepIds(answer);
    return JSON.stringify(answer, undefined, 2);
  } catch {
    return text;
  }
}

for (const form of document.querySelectorAll("form.try")) {
  const [button, status] = [form.querySelector("button"), form.querySelector("[role=status]")];
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { body, ...parameters } = Object.fromEntries(new FormData(form));
    button.disabled = true;
    status.textContent = "Sending …";
    form.querySelector("pre")?.remove();
    try {
      const { operation } = form.dataset;
      const answer = await fetch("/try", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ operation, parameters, body }),
      });
      if (!answer.ok) throw new Error(await answer.text());
      const tried = await answer.json();
      status.textContent = `The sandbox answered ${tried.status}.`;
      const shown = document.createElement("pre");
      shown.tabIndex = 0;
      shown.role = "group";
      shown.setAttribute("aria-label", `Request and answer: ${operation}`);
      shown.textContent = `${tried.request}\n\n${tried.status}\n${readable(tried.answer)}`;
      form.append(shown);
    } catch (error) {
      status.textContent = `It could not be sent: ${error.message}`;
    } finally {
      button.disabled = false;
    }
  });
}
