import { buildRouteMap } from "@stricli/core";
import { acting } from "../command/acting.ts";
import { command, neededFlag, readFlag, textFlag } from "../command/command.ts";
import { date, text } from "../command/parsers.ts";
import { readCommands } from "../command/read_commands.ts";
import { ID } from "./arguments.ts";

const PERSON = ["NAME", "Whom to call"] as const;
const REFERENCE = ["REFERENCE", "How the document is called, such as its number"] as const;

/** `sabika partner contact …` */
export const partnerContact = buildRouteMap({
  docs: { brief: "Whom to call at a partner" },
  routes: {
    set: command<{ role: string; telephone?: string; mail?: string }, [string, string]>({
      brief: "Record whom to call at a partner, by telephone, mail or both",
      examples: [
        "partner contact set bank-one 'Huda Saleh' --role Treasury --mail huda@bank.example",
      ],
      flags: {
        role: neededFlag(text, "What they do there", "TEXT", {
          question: "What do they do there?",
        }),
        telephone: textFlag("With the country, such as '+966 11 555 0100'", "NUMBER"),
        mail: textFlag("Their mail address", "ADDRESS"),
      },
      args: [ID, PERSON],
      async run(session, { role, telephone, mail }, partner, name) {
        await session.act("partner.contact.set", { partner, name, role, telephone, mail });
        return { json: { client_id: partner, name, role }, text: `${name} is recorded\n` };
      },
    }),
    remove: acting("partner.contact.remove", {
      brief: "Remove somebody who is not to be called any more",
      examples: ["partner contact remove bank-one 'Huda Saleh'"],
      args: { partner: ID, name: PERSON },
      json: ({ partner, name }) => ({ client_id: partner, name, removed: true }),
      text: ({ name }) => `${name} is removed`,
    }),
    ...readCommands("partner contact"),
  },
});

interface DocumentFlags {
  readonly kind: string;
  readonly sha256: string;
  readonly issued: string;
  readonly until?: string;
}

/** `sabika partner document …` */
export const partnerDocument = buildRouteMap({
  docs: { brief: "Documents on file about a partner" },
  routes: {
    set: command<DocumentFlags, [string, string]>({
      brief:
        "Record a document about a partner: its reference and the SHA-256 of the file, which stays where it is",
      examples: [
        `partner document set bank-one CR-1010 --kind licence --sha256 ${
          "ab".repeat(32)
        } --issued 2026-01-01`,
      ],
      flags: {
        kind: neededFlag(
          text,
          "commercial_registration, licence, contract or other",
          "KIND",
          { question: "What kind of document?" },
        ),
        sha256: neededFlag(text, "The SHA-256 of the file, in hex", "HEX", {
          question: "Its SHA-256?",
        }),
        issued: neededFlag(date, "The day it was issued", "DAY", {
          question: "Issued on which day?",
        }),
        until: readFlag(date, "Its last day, in Riyadh; left out: without an end", "DAY"),
      },
      args: [ID, REFERENCE],
      async run(session, { kind, sha256, issued, until }, partner, reference) {
        await session.act("partner.document.set", {
          partner,
          kind: kind as "other",
          reference,
          document_sha256: sha256,
          issued_on: issued,
          valid_until: until,
        });
        return { json: { client_id: partner, reference }, text: `${reference} is recorded\n` };
      },
    }),
    remove: acting("partner.document.remove", {
      brief: "Remove a document that is on file no more",
      examples: ["partner document remove bank-one CR-1010"],
      args: { partner: ID, reference: REFERENCE },
      json: ({ partner, reference }) => ({ client_id: partner, reference, removed: true }),
      text: ({ reference }) => `${reference} is removed`,
    }),
    ...readCommands("partner document"),
  },
});
