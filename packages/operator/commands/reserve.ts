import { writeFile } from "node:fs/promises";
import { buildRouteMap } from "@stricli/core";
import { RESERVE_OF, RESERVE_OPENINGS } from "@sabika/office/reads";
import {
  formatDecimal,
  formatHalalas,
  PUBLISHED_RESERVE,
  readReserve,
  RESERVE_OPENING,
} from "@sabika/protocol";
import { acting } from "../command/acting.ts";
import { amount } from "../command/json.ts";
import { command } from "../command/command.ts";
import { date, riyals } from "../command/parsers.ts";
import { readTextFile } from "../command/read_text_file.ts";
import { readCommands } from "../command/read_commands.ts";
import { OUT_FILE } from "../command/write_lines.ts";
import { notFound } from "../outcome.ts";
import { findOne, readAll } from "../reads/read.ts";

const DAY = ["DAY", "The day, in Riyadh", date] as const;

const set = acting("reserve.bank.set", {
  brief: "Enter what was on the bank account at the end of a day, by two people",
  more:
    "Once, and before noon of the next day in Riyadh: then the day's reserve is made without it.",
  examples: ["reserve bank set 2026-11-20 1250000.50"],
  args: {
    day: DAY,
    amount_sar: ["AMOUNT", "SAR, at most 2 decimals", (input) => formatHalalas(riyals(input))],
  },
  json: ({ day, amount_sar: sar }) => ({ day, amount_sar: amount(sar) }),
  text: ({ day, amount_sar: sar }) => `${sar} SAR were on the bank account at the end of ${day}`,
});

const show = command<object, [string]>({
  brief: "Show the reserve of a day, as partners read it",
  examples: ["reserve show 2026-11-20"],
  args: [DAY],
  async run(session, _flags, day) {
    const reserve = await findOne(session, RESERVE_OF, { path: { id: day } });
    if (reserve === undefined) throw notFound(`reserve of ${day}`);
    const { cash, commitments, pools } = readReserve(reserve.text);
    const bank = cash.bankHalalas;
    return {
      json: JSON.parse(PUBLISHED_RESERVE.write(reserve)),
      text: [
        `${day}: ${commitments.length} partners, SHA-256 ${reserve.hash}`,
        `owed ${formatHalalas(cash.obligationsHalalas)} SAR, in transit ` +
        `${formatHalalas(cash.inTransitHalalas)} SAR, on the bank account ` +
        (bank === null ? "not entered" : `${formatHalalas(bank)} SAR`),
        ...pools.map(({ id, version, fineMicrograms, obligationsMicrograms }) =>
          `pool ${id}, version ${version ?? "none"}: owed ` +
          `${formatDecimal(obligationsMicrograms, 6)} g of ${formatDecimal(fineMicrograms, 6)} g`
        ),
        `operator: ${reserve.signature === null ? "unsigned" : "signed"}; auditor: ` +
        (reserve.isAttested ? "attested" : "unattested"),
      ].map((line) => `${line}\n`).join(""),
    };
  },
});

const openings = command<{ out: string }, [string]>({
  brief: "Write all openings of a day's reserve to a file, for the auditor alone",
  more:
    "It has every partner's balances and salts, and the audit log has who opened them. The auditor " +
    "checks and signs the reserve with `sabika-client sign reserve --openings`.",
  examples: ["reserve open 2026-11-20 --out openings.jsonl"],
  flags: { out: OUT_FILE },
  args: [DAY],
  async run(session, { out }, day) {
    if (await findOne(session, RESERVE_OF, { path: { id: day } }) === undefined) {
      throw notFound(`reserve of ${day}`);
    }
    const opened = await readAll(session, RESERVE_OPENINGS, { path: { id: day } });
    const lines = opened.map((opening) => `${RESERVE_OPENING.write(opening)}\n`).join("");
    await writeFile(out, lines, { mode: 0o600, flag: "wx" });
    return {
      json: { file: out, openings: opened.length },
      text: `${opened.length} openings are in ${out}\n`,
    };
  },
});

const attest = command<object, [string, string]>({
  brief: "Enter an auditor's attestation of a day's reserve, for partners to read and check",
  more: "`sabika-client sign reserve --out` makes the file. It is entered once, and kept for ever.",
  examples: ["reserve attest 2026-11-20 attestation.jws"],
  args: [DAY, ["FILE", "What the auditor signed, a compact JWS"]],
  async run(session, _flags, day, file) {
    const signature = (await readTextFile(file, "the attestation")).trim();
    const { holder, keyId } = await session.act("reserve.attest", { day, signature });
    return {
      json: { day, holder, key_id: keyId },
      text: `${holder} attested the reserve of ${day}\n`,
    };
  },
});

/** `sabika reserve …` */
export const reserve = buildRouteMap({
  docs: { brief: "The reserve of each day" },
  routes: {
    ...readCommands("reserve"),
    show,
    open: openings,
    attest,
    bank: buildRouteMap({
      docs: { brief: "What was on the operator's bank account at the end of a day" },
      routes: { set },
    }),
  },
});
