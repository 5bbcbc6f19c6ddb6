import { Buffer } from "node:buffer";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Where in a statement's way a connection is cut. */
export type CutMoment =
  /** The statement never reaches the database. */
  | "before"
  /** The database has it; the caller is gone before it answers. */
  | "running"
  /** The database has committed and answered; the answer never arrives. */
  | "after";

export interface Cut {
  /** The statement, by its text. */
  readonly statement: RegExp;
  readonly moment: CutMoment;
  /** Done at that moment before the connection is cut, such as killing the caller. */
  readonly then?: () => unknown;
}

/** Stands between a server and PostgreSQL, reads the protocol and cuts connections at a message. */
export interface CuttingProxy {
  readonly port: number;
  /** Arms a cut of one connection; resolves when it was made. */
  cut(cut: Cut): Promise<void>;
  /** While true, every new connection is closed at once. */
  refuseNew(on: boolean): void;
  /**
   * Connections stay open and nothing passes any more: a machine that went away without a word. New
   * connections are not concerned.
   */
  freezeThese(): void;
  /** Cuts all connections now. */
  dropAll(): void;
  close(): Promise<void>;
}

/** Starts a proxy on a port of the loopback, to PostgreSQL on another. */
export async function startCuttingProxy(databasePort: number): Promise<CuttingProxy> {
  const armed: (Cut & { readonly done: () => void })[] = [];
  const pairs = new Set<Pair>();
  let isRefusing = false;
  /** Takes the cut that is due here. */
  const take: TakeCut = (text, moment) => {
    const index = armed.findIndex((cut) => cut.moment === moment && cut.statement.test(text));
    if (index < 0) return undefined;
    const [{ then, done }] = armed.splice(index, 1) as [typeof armed[number]];
    return async () => {
      await then?.();
      done();
    };
  };
  const server = createServer((client) => {
    client.on("error", () => {});
    if (isRefusing) return void client.destroy();
    const pair = new Pair(client, connect({ host: "127.0.0.1", port: databasePort }), take);
    pairs.add(pair);
    client.on("close", () => pairs.delete(pair));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const dropAll = () => pairs.forEach((pair) => pair.cut());
  return {
    port: (server.address() as AddressInfo).port,
    cut: (cut) => new Promise((done) => armed.push({ ...cut, done })),
    refuseNew: (on) => void (isRefusing = on),
    freezeThese: () => pairs.forEach((pair) => pair.freeze()),
    dropAll,
    close: async () => {
      dropAll();
      server.close();
      await once(server, "close");
    },
  };
}

/** Asks whether to cut here: what to do first, or undefined to go on. */
type TakeCut = (statement: string, moment: CutMoment) => (() => Promise<void>) | undefined;

const [PARSE, BIND, QUERY, SYNC, READY] = Buffer.from("PBQSZ");

/** One connection of the server with its own to the database. */
class Pair {
  readonly #client: Socket;
  readonly #database: Socket;
  readonly #take: TakeCut;
  /** Texts of prepared statements by their names. */
  readonly #prepared = new Map<string, string>();
  /** Statements that were sent, in the order in which they will be answered. */
  readonly #sent: string[] = [];
  #bound = "";
  #isStarted = false;
  #isCut = false;
  #fromClient: Buffer = Buffer.alloc(0);
  #fromDatabase: Buffer = Buffer.alloc(0);

  constructor(client: Socket, database: Socket, take: TakeCut) {
    this.#client = client;
    this.#database = database;
    this.#take = take;
    client.setNoDelay(true);
    database.setNoDelay(true);
    database.on("error", () => {});
    client.on("data", (chunk: Buffer) => this.#request(chunk));
    database.on("data", (chunk: Buffer) => this.#answer(chunk));
    client.on("end", () => database.end());
    database.on("end", () => this.#isCut || client.end());
    client.on("close", () => database.destroy());
    database.on("close", () => client.destroy());
  }

  freeze(): void {
    this.#isCut = true;
    this.#client.pause();
    this.#database.pause();
  }

  cut(): void {
    this.#isCut = true;
    this.#client.destroy();
    this.#database.destroy();
  }

  #request(chunk: Buffer): void {
    if (this.#isCut) return;
    this.#fromClient = Buffer.concat([this.#fromClient, chunk]);
    const passed = this.#isStarted ? [] : this.#takeStartup();
    const { messages, rest } = splitMessages(this.#fromClient);
    this.#fromClient = rest;
    for (const message of messages) {
      const type = message[0];
      if (type === PARSE) {
        const [name, text] = textsOf(message);
        this.#prepared.set(name!, text!);
      }
      if (type === BIND) this.#bound = this.#prepared.get(textsOf(message)[1]!) ?? "";
      if (type === QUERY) this.#bound = textsOf(message)[0]!;
      if ((type === BIND || type === QUERY) && this.#cutNow(this.#bound, "before", passed)) return;
      passed.push(message);
      if (type !== SYNC && type !== QUERY) continue;
      this.#sent.push(this.#bound);
      if (this.#cutNow(this.#bound, "running", passed)) return;
      this.#bound = "";
    }
    this.#database.write(Buffer.concat(passed));
  }

  /** The first message has no type; those that follow it have one. */
  #takeStartup(): Buffer[] {
    if (this.#fromClient.length < 4) return [];
    const length = this.#fromClient.readInt32BE();
    if (this.#fromClient.length < length) return [];
    const message = this.#fromClient.subarray(0, length);
    this.#fromClient = this.#fromClient.subarray(length);
    this.#isStarted = true;
    return [message];
  }

  #answer(chunk: Buffer): void {
    if (this.#isCut) return;
    this.#fromDatabase = Buffer.concat([this.#fromDatabase, chunk]);
    const { messages, rest } = splitMessages(this.#fromDatabase);
    this.#fromDatabase = rest;
    for (const [type] of messages) {
      // What came before it in this answer is withheld as well.
      if (type === READY && this.#cutNow(this.#sent.shift() ?? "", "after", [])) return;
    }
    if (messages.length > 0) this.#client.write(Buffer.concat(messages));
  }

  /** Cuts here if a cut is due; `passed` still goes to the database. */
  #cutNow(text: string, moment: CutMoment, passed: readonly Buffer[]): boolean {
    const then = text === "" ? undefined : this.#take(text, moment);
    if (then === undefined) return false;
    this.#isCut = true;
    if (passed.length > 0) this.#database.write(Buffer.concat(passed));
    void then().then(() => {
      this.#client.destroy();
      // The database learns of it only when it writes its answer.
      if (moment === "running") this.#database.resume();
      else this.#database.destroy();
    });
    return true;
  }
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

/** The two texts at the beginning of a message, each ended by a 0. */
function textsOf(message: Buffer): string[] {
  return message.toString("utf8", 5).split("\0", 2);
}
