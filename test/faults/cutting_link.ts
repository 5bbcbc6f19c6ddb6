import { Buffer } from "node:buffer";
import { type Inspector, type Link, openLink } from "../support/link.ts";

/** When a connection is cut, relative to a statement. */
export type CutMoment =
  /** Before the statement reaches the database. */
  | "before"
  /** While the database executes the statement, before it answers. */
  | "running"
  /** After the database has committed and answered, before the answer arrives. */
  | "after";

/** A cut of one connection at a statement. */
export interface StatementCut {
  /** Matches the text of the statement. */
  readonly statement: RegExp;
  readonly moment: CutMoment;
  /** Called at that moment before the connection is cut, for example to kill the caller. */
  readonly then?: () => unknown;
}

/** A link between a server and PostgreSQL that understands the protocol. */
export interface CuttingLink extends Link {
  /** Arms a cut of one connection; resolves once it was cut. */
  cutAt(cut: StatementCut): Promise<void>;
}

/** Opens a link from a port of the loopback to PostgreSQL on another port. */
export async function openCuttingLink(databasePort: number): Promise<CuttingLink> {
  const armed: (StatementCut & { readonly done: () => void })[] = [];
  const takeCut: TakeCut = (text, moment) => {
    const index = armed.findIndex((cut) => cut.moment === moment && cut.statement.test(text));
    if (index < 0) return undefined;
    const [{ then, done }] = armed.splice(index, 1) as [typeof armed[number]];
    return async () => {
      await then?.();
      done();
    };
  };
  const link = await openLink(
    () => ({ host: "127.0.0.1", port: databasePort }),
    { inspect: (end) => inspectStatements(takeCut, end) },
  );
  return { ...link, cutAt: (cut) => new Promise((done) => armed.push({ ...cut, done })) };
}

/** Returns a function to call before cutting here, or undefined for no cut. */
type TakeCut = (statement: string, moment: CutMoment) => (() => Promise<void>) | undefined;

const [PARSE, BIND, QUERY, SYNC, READY] = Buffer.from("PBQSZ");
const NOTHING = Buffer.alloc(0);

/** Follows the statements of one connection, and ends it at the moment of a cut. */
function inspectStatements(takeCut: TakeCut, end: () => void): Inspector {
  /** Texts of prepared statements by their names. */
  const prepared = new Map<string, string>();
  /** Statements that were sent, in the order in which they will be answered. */
  const unanswered: string[] = [];
  let bound = "";
  let isStarted = false;
  let isCut = false;
  let fromCaller: Buffer = NOTHING;
  let fromDatabase: Buffer = NOTHING;

  /** Cuts here if a cut is due; bytes that were already relayed still reach the database. */
  function cutNow(text: string, moment: CutMoment): boolean {
    const then = text === "" ? undefined : takeCut(text, moment);
    if (then === undefined) return false;
    isCut = true;
    void then().then(end);
    return true;
  }

  /** Takes the first message, which unlike later ones has no type; empty while it is incomplete. */
  function takeStartup(): Buffer[] {
    if (fromCaller.length < 4) return [];
    const length = fromCaller.readInt32BE();
    if (fromCaller.length < length) return [];
    const message = fromCaller.subarray(0, length);
    fromCaller = fromCaller.subarray(length);
    isStarted = true;
    return [message];
  }

  return {
    sent(chunk) {
      if (isCut) return NOTHING;
      fromCaller = Buffer.concat([fromCaller, chunk]);
      const passed = isStarted ? [] : takeStartup();
      const { messages, rest } = splitMessages(fromCaller);
      fromCaller = rest;
      for (const message of messages) {
        const type = message[0];
        if (type === PARSE) {
          const [name, text] = textsOf(message);
          prepared.set(name!, text!);
        }
        if (type === BIND) bound = prepared.get(textsOf(message)[1]!) ?? "";
        if (type === QUERY) bound = textsOf(message)[0]!;
        if ((type === BIND || type === QUERY) && cutNow(bound, "before")) break;
        passed.push(message);
        if (type !== SYNC && type !== QUERY) continue;
        unanswered.push(bound);
        if (cutNow(bound, "running")) break;
        bound = "";
      }
      return Buffer.concat(passed);
    },
    answered(chunk) {
      if (isCut) return NOTHING;
      fromDatabase = Buffer.concat([fromDatabase, chunk]);
      const { messages, rest } = splitMessages(fromDatabase);
      fromDatabase = rest;
      for (const [type] of messages) {
        // Earlier messages of this answer are withheld as well.
        if (type === READY && cutNow(unanswered.shift() ?? "", "after")) return NOTHING;
      }
      return Buffer.concat(messages);
    },
  };
}

function splitMessages(bytes: Buffer): { messages: Buffer[]; rest: Buffer } {
  const messages: Buffer[] = [];
  let at = 0;
  while (bytes.length - at >= 5) {
    const end = at + 1 + bytes.readInt32BE(at + 1);
    if (end > bytes.length) break;
    messages.push(bytes.subarray(at, end));
    at = end;
  }
  return { messages, rest: bytes.subarray(at) };
}

/** Reads the two NUL-terminated strings at the beginning of a message. */
function textsOf(message: Buffer): string[] {
  return message.toString("utf8", 5).split("\0", 2);
}
