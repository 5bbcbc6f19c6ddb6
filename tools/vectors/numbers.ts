import {
  type AmountResult,
  formatHalalas,
  formatMicrograms,
  formatPrice,
  formatRate,
  fundingRequestFromJson,
  JsonSyntaxError,
  type JsonValue,
  parseHalalas,
  parseJson,
  parseMicrograms,
  parsePrice,
  parseRate,
} from "@sabika/protocol";
import type { VectorFile } from "./vector_file.ts";

/** A kind of number on the wire and the integer that it means. */
interface Kind {
  readonly kind: string;
  readonly unit: string;
  readonly decimals: number;
  /** How many units one of the wire's number has, as a power of ten. */
  readonly scale: number;
  readonly parse: (text: string) => AmountResult;
  readonly format: (value: bigint) => string;
}

const KINDS: readonly Kind[] = [
  {
    kind: "sar",
    unit: "halala",
    decimals: 2,
    scale: 2,
    parse: parseHalalas,
    format: formatHalalas,
  },
  {
    kind: "grams",
    unit: "microgram",
    decimals: 4,
    scale: 6,
    parse: parseMicrograms,
    format: formatMicrograms,
  },
  {
    kind: "price",
    unit: "ten-thousandth of a riyal per gram",
    decimals: 4,
    scale: 4,
    parse: parsePrice,
    format: formatPrice,
  },
  { kind: "rate", unit: "millionth", decimals: 6, scale: 6, parse: parseRate, format: formatRate },
];

const TEXTS: Record<string, readonly string[]> = {
  sar: [
    ...["0", "0.00", "0.01", "0.29", "1", "1.0", "1.50", "4.35", "1039.11", "10000000.00"],
    ...["-1.25", "9999999999999.99", "0.001", "1.000", "0.30000000000000004", "10000000000000.00"],
    ...["1234567890123456", "12345678901234567890", "1e2", "1E2", "1e-2", "1e400", "-0", "-0.00"],
    ...["010", "00", ".5", "5.", "+1", "--1", "1,5", "1_000", " 1", "1 ", "1\n", "0x10", "NaN"],
    ...["Infinity", "\u0661", "1n", "", "null"],
  ],
  grams: [
    ...["0.0001", "0.01", "1.5", "2", "2.00", "2.5000", "10000", "99999999999.9999", "-3.25"],
    ...["0.00001", "1.00000", "1e-4", "-0", "1.5g"],
  ],
  price: ["412.3456", "0.0001", "412", "412.34567", "4.1e2"],
  rate: ["0", "0.15", "0.000001", "1", "0.0000001"],
};

const VALUES: Record<string, readonly bigint[]> = {
  sar: [0n, 1n, 10n, 100n, 12_050n, -5n, 999_999_999_999_999n],
  grams: [0n, 100n, 1_500_000n, 10_000_000_000n, -250_000n],
  price: [4_123_456n, 4_120_000n],
  rate: [0n, 150_000n, 1n],
};

const BODIES: readonly string[] = [
  ...['{"amount_sar":5000}', '{"amount_sar":0.01}', ' {"amount_sar" : 1.50}\n'],
  ...['{"amount_sar":"5000"}', '{"amount_sar":1.001}', '{"amount_sar":1e2}', '{"amount_sar":0}'],
  ...['{"amount_sar":-1}', '{"amount_sar":-0}', '{"amount_sar":null}', '{"amount_sar":true}'],
  ...["{}", "[]", "null", '{"amount_sar":1,"currency":"SAR"}'],
  ...['{"amount_sar":1,"amount_sar":1}', '{"amount_sar":NaN}', '{"amount_sar":01}', "{", ""],
  ...['{"amount_sar":+1}', '{"amount_sar":.5}', "{'amount_sar':1}", '\ufeff{"amount_sar":1}'],
];

/** numbers.json: the texts of numbers, their exact values, and what is refused. */
export function numberVectors(): VectorFile {
  const accepted = [];
  const refused = [];
  for (const { kind, parse } of KINDS) {
    for (const text of TEXTS[kind]!) {
      const amount = parse(text);
      if (amount.ok) accepted.push({ kind, text, value: String(amount.value) });
      else refused.push({ kind, text, refusal: amount.code });
    }
  }
  const written = KINDS.flatMap(({ kind, format }) =>
    VALUES[kind]!.map((value) => ({ kind, value: String(value), text: format(value) }))
  );
  return {
    about:
      "Numbers are read from their text, never through a binary fraction. value is the whole " +
      "number of units, as a string because it may exceed 2^53; all fit in 64 bits with a sign. " +
      "written: how the service writes a value. bodies: whole bodies of POST /sandbox/fund.",
    source: "Decisions D2 to D5, D8, D32",
    kinds: KINDS.map(({ kind, unit, decimals, scale }) => ({ kind, unit, decimals, scale })),
    accepted,
    refused,
    written,
    bodies: BODIES.map(readBody),
  };
}

function readBody(body: string) {
  let json: JsonValue;
  try {
    json = parseJson(body);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return { body, refusal: "malformed_json", errors: [] };
    throw error;
  }
  const request = fundingRequestFromJson(json);
  if (request.ok) return { body, value: String(request.value.amountHalalas), refusal: null };
  const errors = request.errors.map(({ pointer, code }) => ({ pointer, code }));
  return { body, refusal: "invalid_request", errors };
}
