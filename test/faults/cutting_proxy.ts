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
  /** Which statements, by their text. */
  readonly statement: RegExp;
  readonly moment: CutMoment;
  /** How many of them; 1 by default. */
  readonly times?: number;
  /** Done at that moment before the connection is cut, such as killing the caller. */
  readonly then?: () => unknown;
}

/** Stands between a server and PostgreSQL, reads the protocol and cuts connections at a message. */
export type CuttingProxy = Awaited<ReturnType<typeof startCuttingProxy>>;

interface Armed extends Cut {
  left: number;
  done: () => void;
}

/** Starts a proxy on a port of the loopback, to PostgreSQL on another. */
export async function startCuttingProxy(databasePort: number) {
  const armed: Armed[] = [];
  const pairs = new Set<Pair>();
  let isRefusing = false;
  let cuts = 0;

  const server = createServer((client) => {
    client.on("error", () => {});
    if (isRefusing) {
      client.destroy();
      return;
    }
    const pair = new Pair(
      client,
      connect({ host: "127.0.0.1", port: databasePort }),
      (text, at) => {
        const index = armed.findIndex((one) => one.moment === at && one.statement.test(text));
        if (index < 0) return undefined;
        const found = armed[index]!;
        found.left -= 1;
        if (found.left === 0) armed.splice(index, 1);
        cuts += 1;
        return async () => {
          await found.then?.();
          if (found.left === 0) found.done();
        };
      },
    );
    pairs.add(pair);
    pair.onEnd(() => pairs.delete(pair));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  return {
    port: (server.address() as AddressInfo).port,
    get cuts() {
      return cuts;
    },
    /** Arms a cut; resolves when it was made as often as it was to be. */
    cut: (cut: Cut) =>
      new Promise<void>((done) => armed.push({ ...cut, left: cut.times ?? 1, done })),
    /** Forgets the cuts that were not made. */
    disarm: () => void armed.splice(0),
    /** While true, every new connection is closed at once. */
    refuseNew: (on: boolean) => void (isRefusing = on),
    /**
     * Connections stay open and nothing passes any more, for ever: a machine that went away without
     * a word. New connections are not concerned.
     */
    freezeThese: () => pairs.forEach((pair) => pair.freeze()),
    /** Cuts all connections now. */
    dropAll: () => pairs.forEach((pair) => pair.cut()),
    close: async () => {
      pairs.forEach((pair) => pair.cut());
      server.close();
      await once(server, "close");
    },
  };
}

/** Asks whether to cut here: what to do first, or undefined to go on. */
type Judge = (statement: string, moment: CutMoment) => (() => Promise<void>) | undefined;

const [PARSE, BIND, QUERY, SYNC, READY] = Buffer.from("PBQSZ");

/** One connection of the server with its own to the database. */
class Pair {
  readonly #client: Socket;
  readonly #database: Socket;
  readonly #judge: Judge;
  /** Texts of prepared statements by their names. */
  readonly #prepared = new Map<string, string>();
  /** Of the statements on their way, in the order in which they will be answered. */
  readonly #underWay: string[] = [];
  #bound = "";
  #isStarted = false;
  #isCut = false;
  #fromClient: Buffer = Buffer.alloc(0);
  #fromDatabase: Buffer = Buffer.alloc(0);

  constructor(client: Socket, database: Socket, judge: Judge) {
    this.#client = client;
    this.#database = database;
    this.#judge = judge;
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

  onEnd(done: () => void): void {
    this.#client.on("close", done);
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
    const messages = this.#isStarted ? [] : this.#startup();
    const read = splitMessages(this.#fromClient);
    this.#fromClient = read.rest;
    for (const message of read.messages) {
      const type = message[0];
      if (type === PARSE) {
        const [name, text] = texts(message, 5, 2);
        this.#prepared.set(name!, text!);
      } else if (type === BIND) {
        const [, name] = texts(message, 5, 2);
        this.#bound = this.#prepared.get(name!) ?? "";
        if (this.#cutNow(this.#bound, "before", messages)) return;
      } else if (type === QUERY) {
        [this.#bound = ""] = texts(message, 5, 1);
        if (this.#cutNow(this.#bound, "before", messages)) return;
      }
      messages.push(message);
      if (type === SYNC || type === QUERY) {
        this.#underWay.push(this.#bound);
        if (this.#cutNow(this.#bound, "running", messages)) return;
        this.#bound = "";
      }
    }
    this.#database.write(Buffer.concat(messages));
  }

  /** The first message has no type; what follows it has. */
  #startup(): Buffer[] {
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
    const read = splitMessages(this.#fromDatabase);
    this.#fromDatabase = read.rest;
    const messages: Buffer[] = [];
    for (const message of read.messages) {
      if (message[0] === READY) {
        // What came before it in this answer is withheld as well.
        if (this.#cutNow(this.#underWay.shift() ?? "", "after", [])) return;
      }
      messages.push(message);
    }
    if (messages.length > 0) this.#client.write(Buffer.concat(messages));
  }

  /** Cuts here if a cut is due; `sent` still goes to the database. */
  #cutNow(text: string, moment: CutMoment, sent: readonly Buffer[]): boolean {
    const then = text === "" ? undefined : this.#judge(text, moment);
    if (then === undefined) return false;
    this.#isCut = true;
    if (sent.length > 0) this.#database.write(Buffer.concat(sent));
    void (async () => {
      await then();
      this.#client.destroy();
      // The database learns of it only when it writes its answer.
      if (moment === "running") this.#database.resume();
      else this.#database.destroy();
    })();
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

function texts(bytes: Buffer, from: number, count: number): string[] {
  const found: string[] = [];
  for (let at = from; found.length < count;) {
    const end = bytes.indexOf(0, at);
    found.push(bytes.toString("utf8", at, end));
    at = end + 1;
  }
  return found;
}
