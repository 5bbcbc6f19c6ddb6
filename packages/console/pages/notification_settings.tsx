import {
  type Choice,
  type Choices,
  isMailAddress,
  NOTIFICATION_KINDS,
  type NotificationKind,
  readChoices,
  setChoices,
} from "@sabika/service/notifications";
import { mayDo } from "@sabika/terms";
import type { Call, Page } from "../call.ts";
import { LANGUAGES, MESSAGES } from "../languages/languages.ts";
import { Select } from "../layout/filter.tsx";
import type { Fields } from "./act_arguments.ts";
import { fieldsIn, queryOf } from "./act_address.ts";
import { readFields } from "./form_fields.tsx";

/** The path after the language. */
export const SETTINGS_PATH = "/notifications/settings";
const CHOICES: readonly Choice[] = ["none", "console", "mail"];

/** How the viewer is told of what: what they set, or what they typed and was wrong. */
const settings: Page = {
  path: SETTINGS_PATH,
  act: "office.read",
  async show(call) {
    const { context, database: { sql }, viewer, language, words } = call;
    const typed = fieldsIn(context.req.url);
    const isSaved = typed["saved"] !== undefined;
    const hasTyped = typed["address"] !== undefined;
    const chosen = hasTyped ? readTyped(call, typed) : await readChoices(sql, viewer.operatorId);
    const mistake = hasTyped ? mistakeIn(chosen) : undefined;
    const { settings: texts, kinds } = words.notifications;
    return {
      title: texts.title,
      status: mistake === undefined ? 200 : 400,
      content: (
        <>
          {isSaved && <p role="status">{texts.saved}</p>}
          <form
            class="card narrow tall"
            method="post"
            action={`/${language}${SETTINGS_PATH}`}
            novalidate
          >
            <p>{texts.lead}</p>
            <AddressField call={call} address={chosen.address} mistake={mistake} />
            <Select
              name="language"
              label={texts.language}
              options={LANGUAGES.map((name) => [name, LANGUAGE_NAMES[name]])}
              chosen={chosen.language ?? language}
            />
            {kindsFor(call).map((kind) => (
              <Select
                name={kind}
                label={kinds[kind]}
                options={CHOICES.map((choice) => [choice, texts.choices[choice]])}
                chosen={chosen.kinds[kind] ?? "console"}
              />
            ))}
            <button type="submit">{texts.save}</button>
          </form>
          <p>
            <a href={`/${language}/notifications`}>{words.pages.notifications}</a>
          </p>
        </>
      ),
    };
  },
};

/** Each language's own name: the others' link to it. */
const LANGUAGE_NAMES = { en: MESSAGES.ar.otherLanguage, ar: MESSAGES.en.otherLanguage };

function AddressField({ call: { words }, address, mistake }: {
  call: Call;
  address: string | null;
  mistake: keyof Call["words"]["notifications"]["settings"]["mistakes"] | undefined;
}) {
  const { settings: texts } = words.notifications;
  return (
    <>
      <label for="address">{texts.address}</label>
      <input
        id="address"
        name="address"
        type="email"
        dir="ltr"
        autocomplete="email"
        value={address ?? ""}
        aria-describedby={mistake && "address-wrong"}
        aria-invalid={mistake && "true"}
        autofocus={mistake && true}
      />
      {mistake && <small id="address-wrong" class="wrong">{texts.mistakes[mistake]}</small>}
    </>
  );
}

/** Saves the viewer's own settings. They are signed by nobody (Decision D98). */
const save: Page = {
  path: SETTINGS_PATH,
  method: "POST",
  act: "office.read",
  async show(call) {
    const { context, database, viewer, language } = call;
    const typed = await readFields(call);
    const chosen = readTyped(call, typed);
    const path = `/${language}${SETTINGS_PATH}`;
    if (mistakeIn(chosen) !== undefined) {
      const { address = [], ...others } = typed;
      return context.redirect(`${path}?${queryOf({ ...others, address })}`, 303);
    }
    await database.sql.begin((sql) => setChoices(sql, viewer.operatorId, chosen));
    return context.redirect(`${path}?saved`, 303);
  },
};

/** The kinds that the viewer's roles are told of. */
function kindsFor({ viewer: { roles } }: Call): readonly NotificationKind[] {
  return (Object.keys(NOTIFICATION_KINDS) as NotificationKind[]).filter((kind) => {
    const act = NOTIFICATION_KINDS[kind];
    return mayDo(roles, act ?? (kind === "approval_waiting" ? "approval.approve" : "office.read"));
  });
}

/** Reads a form's fields; what is no choice is left as it was. */
function readTyped(call: Call, fields: Fields): Choices {
  const address = fields["address"]?.[0]?.trim() ?? "";
  const kinds = kindsFor(call).flatMap((kind) => {
    const choice = CHOICES.find((known) => known === fields[kind]?.[0]);
    return choice === undefined ? [] : [[kind, choice] as const];
  });
  return {
    address: address === "" ? null : address,
    language: LANGUAGES.find((known) => known === fields["language"]?.[0]) ?? call.language,
    kinds: Object.fromEntries(kinds),
  };
}

function mistakeIn({ address, kinds }: Choices): "missing" | "wrong" | undefined {
  if (address !== null) return isMailAddress(address) ? undefined : "wrong";
  return Object.values(kinds).includes("mail") ? "missing" : undefined;
}

/** The pages on which people set how they are told. */
export const notificationSettings: readonly Page[] = [settings, save];
