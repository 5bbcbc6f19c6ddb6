import { type Change, type Mutant, placeChanges } from "./mutant.ts";
import { readSqlBodies, type SqlToken } from "./sql_tokens.ts";

const COMPARISONS: Record<string, string> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "=": "<>",
  "<>": "=",
  "!=": "=",
};
const ARITHMETIC: Record<string, string> = { "+": "-", "-": "+", "*": "/", "/": "*" };
const WORDS: Record<string, string> = {
  TRUE: "false",
  FALSE: "true",
  GREATEST: "least",
  LEAST: "greatest",
  MIN: "max",
  MAX: "min",
};
/** What ends a condition, beside a bracket, a comma or a semicolon that it did not open. */
const CONDITION_ENDS = new Set(
  `THEN LOOP GROUP ORDER LIMIT OFFSET RETURNING FOR UNION EXCEPT INTERSECT HAVING WHERE WINDOW LEFT
  JOIN INNER CROSS FULL RIGHT ELSE WHEN END INTO FETCH ON`.split(/\s+/),
);
/** What begins a condition. */
const CONDITIONS = new Set(["WHERE", "ON", "IF", "ELSIF", "WHEN", "HAVING"]);
const SORT_ENDS = new Set(
  ["LIMIT", "OFFSET", "FOR", "FETCH", "LOOP", "UNION", "ROWS", "RANGE", "ON", "INTO"],
);
const OPEN = new Set(["(", "["]);
const CLOSE = new Set([")", "]"]);

/**
 * Makes the mutants of an SQL file: of its functions' bodies, or of the whole statement if it makes no
 * function. PostgreSQL refuses some of them (`SET a <> 1`), which then do not count.
 */
export function mutateSql(file: string, sql: string): Mutant[] {
  const changes = readSqlBodies(sql).flatMap(({ tokens }) =>
    tokens.flatMap((_, at) => {
      const changesAt = [
        ...changeOperator(tokens, at),
        ...changeWord(tokens, at),
        ...changeNumber(tokens, at),
        ...changeSort(tokens, at),
        ...leaveOutLock(tokens, at),
        ...leaveOutGuard(tokens, at),
        ...changeCondition(tokens, at),
      ];
      return onlyLocks(tokens, at)
        ? changesAt.map((change) => ({ ...change, kind: "lock" }))
        : changesAt;
    })
  );
  return placeChanges(file, sql, changes);
}

/** Whether a token is of a statement that does nothing but lock rows: `PERFORM 1 FROM … FOR UPDATE`. */
function onlyLocks(tokens: readonly SqlToken[], at: number): boolean {
  const first = tokens.slice(0, at).findLastIndex(({ text }) => text === "PERFORM" || text === ";");
  if (tokens[first]?.text !== "PERFORM") return false;
  const end = tokens.findIndex(({ text }, n) => n > at && text === ";");
  return tokens.slice(first, end).some((_, n) => leaveOutLock(tokens, first + n).length > 0);
}

function changeOperator(tokens: readonly SqlToken[], at: number): Change[] {
  const { kind, text, start, end } = tokens[at]!;
  if (kind !== "operator") return [];
  if (COMPARISONS[text] !== undefined) {
    return [{ kind: "comparison", start, end, replacement: COMPARISONS[text] }];
  }
  const before = tokens[at - 1];
  // A sign of a number, or the star of count(*) and SELECT *, is no operation.
  const isBinary = before !== undefined && (CLOSE.has(before.text) || before.kind === "number" ||
    before.kind === "text" || (before.kind === "word" && !KEYWORDS.has(before.text)));
  const isStar = text === "*" && !isOperand(tokens[at + 1]);
  if (ARITHMETIC[text] === undefined || !isBinary || isStar) return [];
  return [{ kind: "arithmetic", start, end, replacement: ARITHMETIC[text] }];
}

/** Words that stand before a sign or a star without being an operand. */
const KEYWORDS = new Set(
  `SELECT RETURN RETURNING WHERE AND OR NOT THEN ELSE WHEN IN CASE BY VALUES LIMIT OFFSET SET IS
  DISTINCT ALL ANY ON`.split(/\s+/),
);

function isOperand(token: SqlToken | undefined): boolean {
  return token !== undefined && (token.kind === "number" || token.kind === "text" ||
    token.text === "(" || token.text === "-" ||
    (token.kind === "word" && !CONDITION_ENDS.has(token.text) && token.text !== "FROM"));
}

function changeWord(tokens: readonly SqlToken[], at: number): Change[] {
  const { kind, text, start, end } = tokens[at]!;
  const [next, second] = [tokens[at + 1], tokens[at + 2]];
  if (kind !== "word") return [];
  if (text === "IS" && next?.text === "NULL") {
    return [{ kind: "comparison", start, end: next.end, replacement: "IS NOT NULL" }];
  }
  if (text === "IS" && next?.text === "NOT" && second?.text === "NULL") {
    return [{ kind: "comparison", start, end: second.end, replacement: "IS NULL" }];
  }
  if (text === "NOT" && tokens[at - 1]?.text !== "IS" && next?.text !== "NULL") {
    return [{ kind: "negation", start, end, replacement: "" }];
  }
  if (text === "LEFT" && next?.text === "JOIN") {
    return [{ kind: "join", start, end: next.end, replacement: "JOIN" }];
  }
  const isFunction = next?.text === "(";
  const isTruth = text === "TRUE" || text === "FALSE";
  if (WORDS[text] === undefined || (!isFunction && !isTruth)) return [];
  return [{ kind: isTruth ? "constant" : "bound", start, end, replacement: WORDS[text] }];
}

function changeNumber(tokens: readonly SqlToken[], at: number): Change[] {
  const { kind, text, start, end } = tokens[at]!;
  if (kind !== "number" || !/^\d+$/.test(text)) return [];
  // `PERFORM 1 FROM`, whose value nobody reads.
  if (tokens[at - 1]?.text === "PERFORM") return [];
  const changes = [{ kind: "constant", start, end, replacement: String(BigInt(text) + 1n) }];
  const less = BigInt(text) - 1n;
  const sign = tokens[at - 1]?.text;
  // `- -1` rather than a comment.
  changes.push({
    kind: "constant",
    start,
    end,
    replacement: less < 0n && sign === "-" ? " -1" : String(less),
  });
  return changes;
}

/** Turns the direction of each key of an ORDER BY. */
function changeSort(tokens: readonly SqlToken[], at: number): Change[] {
  if (tokens[at]!.text !== "ORDER" || tokens[at + 1]?.text !== "BY") return [];
  const changes: Change[] = [];
  for (let from = at + 2; from < tokens.length;) {
    const to = endOf(tokens, from, (token) => SORT_ENDS.has(token.text));
    const key = tokens.slice(from, to).findIndex(({ text }) => text === "NULLS");
    const last = tokens[(key < 0 ? to : from + key) - 1]!;
    const isDown = last.text === "DESC";
    changes.push({
      kind: "direction",
      start: isDown || last.text === "ASC" ? last.start : last.end,
      end: last.end,
      replacement: isDown ? "ASC" : last.text === "ASC" ? "DESC" : " DESC",
    });
    if (tokens[to]?.text !== ",") break;
    from = to + 1;
  }
  return changes;
}

function leaveOutLock(tokens: readonly SqlToken[], at: number): Change[] {
  const words = tokens.slice(at, at + 4).map(({ text }) => text).join(" ");
  const lock = /^FOR (NO KEY UPDATE|KEY SHARE|UPDATE|SHARE)\b/.exec(words);
  if (lock === null) return [];
  let last = at + lock[0].split(" ").length - 1;
  while (["OF", "SKIP", "LOCKED", "NOWAIT"].includes(tokens[last + 1]?.text ?? "")) {
    last += tokens[last + 1]!.text === "OF" ? 2 : 1;
  }
  return [{ kind: "lock", start: tokens[at]!.start, end: tokens[last]!.end, replacement: "" }];
}

/** Leaves out `IF … THEN RAISE …; END IF;`. */
function leaveOutGuard(tokens: readonly SqlToken[], at: number): Change[] {
  if (tokens[at]!.text !== "IF" || tokens[at - 1]?.text === "END") return [];
  const then = endOf(tokens, at + 1, ({ text }) => text === "THEN" || text === "LOOP");
  if (tokens[then]?.text !== "THEN" || tokens[then + 1]?.text !== "RAISE") return [];
  const done = endOf(tokens, then + 1, () => false);
  const last = tokens[done + 3];
  if (tokens[done + 1]?.text !== "END" || tokens[done + 2]?.text !== "IF" || !last) return [];
  return [{ kind: "guard", start: tokens[at]!.start, end: last.end, replacement: "" }];
}

/** Leaves out a part of a condition, or the whole of a WHERE; negates one without a comparison. */
function changeCondition(tokens: readonly SqlToken[], at: number): Change[] {
  const { text } = tokens[at]!;
  const isCall = text === "IF" && ["END", "DROP"].includes(tokens[at - 1]?.text ?? "");
  const isGroup = text === "(" && tokens[at - 1]?.text !== undefined;
  const isConflict = text === "ON" && tokens[at + 1]?.text === "CONFLICT";
  const isCase = text === "WHEN" && tokens[at - 1]?.text !== "CASE" && isPlainCase(tokens, at);
  if (!(CONDITIONS.has(text) || isGroup) || isCall || isConflict || isCase) return [];
  const parts = divide(tokens, at + 1);
  const [first] = parts;
  if (first === undefined) return [];
  const [start, end] = [tokens[first.from]!.start, tokens[parts.at(-1)!.to - 1]!.end];
  if (parts.length > 1) {
    return parts.map(({ from, to }, n) => ({
      kind: "part of a condition",
      // With the AND or OR before it; the first part with the one after it.
      start: n === 0 ? start : tokens[from - 1]!.start,
      end: n === 0 ? tokens[parts[1]!.from]!.start : tokens[to - 1]!.end,
      replacement: "",
    }));
  }
  if (isGroup) return [];
  if (text === "WHERE") return [{ kind: "condition", start, end, replacement: "true" }];
  const isCompared = tokens.slice(first.from, first.to).some(({ text }, n) =>
    COMPARISONS[text] !== undefined || text === "IS" || (n === 0 && text === "NOT")
  );
  if (isCompared || text === "ON" || text === "HAVING") return [];
  return [{
    kind: "negation",
    start: tokens[first.from]!.start,
    end: tokens[first.from]!.start,
    replacement: "NOT ",
  }];
}

/** Whether a WHEN belongs to `CASE x WHEN …`, whose values are no conditions. */
function isPlainCase(tokens: readonly SqlToken[], at: number): boolean {
  let depth = 0;
  for (let before = at - 1; before >= 0; before--) {
    const { text } = tokens[before]!;
    if (text === "END") depth++;
    if (text === "CASE" && depth-- === 0) return tokens[before + 1]?.text !== "WHEN";
  }
  return false;
}

/** Divides a condition at its outer ANDs and ORs; empty if it is no condition. */
function divide(tokens: readonly SqlToken[], from: number): { from: number; to: number }[] {
  const parts: { from: number; to: number }[] = [];
  let isBetween = false;
  for (let begin = from;;) {
    const to = endOf(tokens, begin, ({ text }) => {
      if (text === "BETWEEN") isBetween = true;
      const isJoint = text === "AND" || text === "OR";
      if (text === "AND" && isBetween) return isBetween = false;
      return isJoint || CONDITION_ENDS.has(text);
    });
    if (to === begin) return [];
    parts.push({ from: begin, to });
    if (tokens[to]?.text !== "AND" && tokens[to]?.text !== "OR") return parts;
    begin = to + 1;
  }
}

/** Returns the place of the first token that ends what begins at `from`, outside brackets and CASEs. */
function endOf(
  tokens: readonly SqlToken[],
  from: number,
  isEnd: (token: SqlToken) => boolean,
): number {
  let depth = 0;
  for (let at = from; at < tokens.length; at++) {
    const token = tokens[at]!;
    if (depth === 0 && (isEnd(token) || [",", ";", ")", "]"].includes(token.text))) return at;
    if (OPEN.has(token.text) || token.text === "CASE") depth++;
    if (CLOSE.has(token.text) || (depth > 0 && token.text === "END")) depth--;
  }
  return tokens.length;
}
