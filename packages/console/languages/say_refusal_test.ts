import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { sayRefusal } from "./say_refusal.ts";
import arabic from "./refusals_ar.json" with { type: "json" };

/** Rooms whose refusals reach a page of the console. */
const ROOMS = [
  "office/acts",
  "office/acts/bookings",
  "office/partners",
  "service/vault",
  "service/audit",
];
/** What a page's form cannot bring about: it was refused at its field before, or the page offers no such thing. */
const UNREACHED = [
  /^(?:an amount is|a reference has|the quantity is|a failure's|deliveries in|say in 1|approvers are|from 2 to)/,
  /^(?:a request (?:waits|is)|"\{\}" is none|not a person|a token's|the whole URL|the dossier is not)/,
  /^\{\} needs files|^it would be done$|^\{\} since it was shown/,
  /^"\{\}" is \{\} already|^the request is \{\} already|^the webhook URL is refused: \{\}|^this key is \{\}|^\{\} certificate/,
];

test("each refusal that a page can show has its sentence in Arabic", () => {
  const found: string[] = [];
  for (const room of ROOMS) {
    const folder = new URL(`../../${room}/`, import.meta.url);
    for (const name of readdirSync(folder)) {
      if (!name.endsWith(".ts") || name.includes("_test")) continue;
      const source = readFileSync(new URL(name, folder), "utf8");
      for (const [, a, b] of source.matchAll(/refuse\(\s*"\w+",\s*(?:"([^"]*)"|`([^`]*)`)/g)) {
        found.push((a ?? b)!.replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, "{}"));
      }
    }
  }
  assert(found.length > 40, `${found.length}`);
  const missing = found.filter((text) =>
    !Object.hasOwn(arabic, text) && !UNREACHED.some((pattern) => pattern.test(text))
  );
  assertEquals(missing, []);
});

test("a refusal is said in the reader's language, with what it names", () => {
  const cases = [
    ['there is a partner "bank-one" already', "يوجد شريك بالمعرّف «bank-one» من قبل"],
    [
      'the reference "TT-1" was credited before, with 5.00 SAR',
      "قُيّد المرجع «TT-1» من قبل، بمبلغ 5.00 ر.س",
    ],
    [
      "the withdrawal is completed: it cannot become processing",
      "حالة السحب «دُفع»، ولا يمكن أن تصبح «قيد الدفع»",
    ],
    [
      'this key is in a certificate of "bank-one": make a new one for the signing key',
      "هذا المفتاح في شهادة للشريك «bank-one»: أنشئ مفتاحًا جديدًا",
    ],
    [
      "Spread changed from 0.5 % to 0.75 % since this was requested",
      "تغيّر منذ الطلب: الفارق: 0.5 % ← 0.75 %",
    ],
    [
      "Credited before with this reference changed from no to once, 1,005.00 SAR since this was requested",
      "تغيّر منذ الطلب: قُيّد من قبل بهذا المرجع: لا ← مرة واحدة، 1,005.00 ر.س",
    ],
    [
      "Mid price changed from 412.5 SAR/g to none since it was shown: look again",
      "السعر الوسطي: 412.5 ر.س/غ ← لا يوجد",
    ],
    [
      "IBAN changed from SA03 8000 0000 6080 1016 7519 (Al Rajhi Bank) to none",
      "الآيبان: SA03 8000 0000 6080 1016 7519 (مصرف الراجحي) ← لا يوجد",
    ],
    ["a sentence of a later release", "a sentence of a later release"],
  ] as const;
  for (const [english, text] of cases) {
    assertEquals(sayRefusal("ar", english), text);
    assertEquals(sayRefusal("en", english), english);
  }
});
