/**
 * Passkeys: what of the console does not work without a script.
 *
 * A form with `data-passkey` is a ceremony: `sign-in`; `enrol` with the one-time link that follows
 * the # of the address; or `act`, which puts the passkey's answer into the form and sends it.
 * Errors are shown in the form's `[role=alert]`.
 */
const LINK = location.hash.slice(1);
// The link is a secret, so it is removed from the address and the history.
if (LINK !== "") history.replaceState(null, "", location.pathname + location.search);

async function post(path, body) {
  const answer = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const json = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(json.detail ?? json.title ?? String(answer.status));
  return json;
}

async function ask(options) {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return (await navigator.credentials.get({ publicKey })).toJSON();
}

const CEREMONIES = {
  async "sign-in"() {
    const { options } = await post("/admin/v1/sign-in/options", {});
    await post("/admin/v1/sign-in", { credential: await ask(options) });
  },
  async enrol() {
    const { options } = await post("/admin/v1/enrolment/options", { link: LINK });
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
    const registration = (await navigator.credentials.create({ publicKey })).toJSON();
    const staged = await post("/admin/v1/enrolment/act", { link: LINK, credential: registration });
    const credential = await ask(staged.options);
    await post("/admin/v1/enrolment", { link: LINK, registration, act: staged.act, credential });
  },
  async act({ elements: { options, credential } }) {
    credential.value = JSON.stringify(await ask(JSON.parse(options.value)));
  },
};

for (const form of document.querySelectorAll("form[data-passkey]")) {
  const alert = form.querySelector("[role=alert]");
  const button = form.querySelector("button");
  button.disabled = false;
  // A page that the browser kept is made anew: what it shows may have been done.
  addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    alert.hidden = true;
    try {
      await CEREMONIES[form.dataset.passkey](form);
      if (form.elements.credential) form.submit();
      else location.assign(form.getAttribute("action"));
    } catch (error) {
      alert.querySelector("[data-reason]").textContent = error.message;
      alert.hidden = false;
      button.disabled = false;
    }
  });
}

for (const button of document.querySelectorAll("[data-sign-out]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    await post("/admin/v1/sign-out", {});
    location.assign(button.dataset.signOut);
  });
}
