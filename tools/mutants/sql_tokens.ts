/** A word, number, text or sign of SQL; white space and comments are between tokens. */
export interface SqlToken {
  kind: "word" | "number" | "text" | "operator" | "mark";
  /** As it is written; words in upper case. */
  text: string;
  start: number;
  end: number;
}

/** The body of a function: what a dollar-quoted text holds. */
export interface SqlBody {
  /** The name of the function, or empty. */
  name: string;
  tokens: SqlToken[];
}

const SPACE = /\s+|--[^\n]*/y;
const QUOTED = /(?:[eE]'(?:[^'\\]|''|\\[^])*'|(?:[bBxX]|[uU]&)?'(?:[^']|'')*')/y;
const NAME = /"(?:[^"]|"")*"/y;
const DOLLAR = /\$(?:[A-Za-z_]\w*)?\$/y;
const WORD = /[A-Za-z_][\w$]*/y;
const NUMBER = /\d+(?:\.(?!\.)\d*)?(?:[eE][-+]?\d+)?/y;
/** Signs that PostgreSQL and PL/pgSQL give a meaning of their own, then any other operator. */
const OPERATOR = /::|:=|=>|\.\.|<>|!=|<=|>=|<<|>>|@>|<@|\|\||->>?|[-+*\/<>=~!@#%^&|`?]/y;

/**
 * Reads SQL or PL/pgSQL into tokens. A dollar-quoted text is one token.
 *
 * @throws {SyntaxError} for a text or comment without an end
 */
export function readSqlTokens(sql: string, from = 0, to = sql.length): SqlToken[] {
  const tokens: SqlToken[] = [];
  for (let at = from; at < to;) {
    const take = (pattern: RegExp) => {
      pattern.lastIndex = at;
      return pattern.exec(sql)?.[0];
    };
    const add = (kind: SqlToken["kind"], text: string) => {
      const shown = kind === "word" ? text.toUpperCase() : text;
      tokens.push({ kind, text: shown, start: at, end: at += text.length });
    };
    const space = take(SPACE);
    if (space !== undefined) {
      at += space.length;
      continue;
    }
    if (sql.startsWith("/*", at)) {
      at = endOfComment(sql, at);
      continue;
    }
    const text = take(QUOTED) ?? take(NAME);
    if (text !== undefined) {
      add("text", text);
      continue;
    }
    const delimiter = take(DOLLAR);
    if (delimiter !== undefined) {
      const end = sql.indexOf(delimiter, at + delimiter.length);
      if (end < 0) throw new SyntaxError(`${delimiter} has no end`);
      add("text", sql.slice(at, end + delimiter.length));
      continue;
    }
    const [word, number] = [take(WORD), take(NUMBER)];
    if (word !== undefined) add("word", word);
    else if (number !== undefined) add("number", number);
    else {
      const operator = take(OPERATOR);
      if (operator === undefined && /['"]/.test(sql[at]!)) {
        throw new SyntaxError("a text has no end");
      }
      add(operator === undefined ? "mark" : "operator", operator ?? sql[at]!);
    }
  }
  return tokens;
}

/** Comments of this form may be nested. */
function endOfComment(sql: string, start: number): number {
  let depth = 0;
  for (let at = start; at < sql.length;) {
    if (sql.startsWith("/*", at)) [depth, at] = [depth + 1, at + 2];
    else if (sql.startsWith("*/", at)) {
      [depth, at] = [depth - 1, at + 2];
      if (depth === 0) return at;
    } else at++;
  }
  throw new SyntaxError("a comment has no end");
}

/** Returns the bodies of the functions of a file, or, if it makes none, the whole file as one. */
export function readSqlBodies(sql: string): SqlBody[] {
  const tokens = readSqlTokens(sql);
  const bodies: SqlBody[] = [];
  let name = "";
  tokens.forEach((token, at) => {
    if (token.text === "FUNCTION" || token.text === "PROCEDURE") {
      name = sql.slice(tokens[at + 1]?.start, tokens[at + 1]?.end);
    }
    if (tokens[at - 1]?.text !== "AS" || !token.text.startsWith("$")) return;
    const quote = token.text.indexOf("$", 1) + 1;
    bodies.push({ name, tokens: readSqlTokens(sql, token.start + quote, token.end - quote) });
  });
  return bodies.length > 0 || name !== "" ? bodies : [{ name: "", tokens }];
}
