import {
  canonicalJson,
  decimalShape,
  eventOf,
  type Form,
  formatDecimal,
  formatHalalas,
  formatMicrograms,
  INTEGER,
  isJsonObject,
  JsonNumber,
  parseDecimal,
  parseHalalas,
  type PartnerEvent,
  STRING,
  unreadable,
} from "@sabika/protocol";
import { plainJson } from "@sabika/protocol/plain-json";
import { mapped } from "@sabika/protocol/record-form";

/** The form of a JSON object whose members have no forms. */
export function jsonObject<T extends object>(): Form<T> {
  return {
    shape: { type: "object" },
    write: JSON.stringify,
    read: (value, at) =>
      isJsonObject(value) ? plainJson(value) as T : unreadable(at, "is no object"),
  };
}

/** The form of a JSON array whose items have no forms. */
export function jsonArray<T>(): Form<readonly T[]> {
  return {
    shape: { type: "array" },
    write: JSON.stringify,
    read: (value, at) =>
      Array.isArray(value) ? plainJson(value) as readonly T[] : unreadable(at, "is no array"),
  };
}

/** Parts per million; a percentage with at most 4 decimals on the wire. */
export const PERCENT: Form<bigint> = {
  shape: decimalShape(4, "percent"),
  write: (ppm) => formatDecimal(ppm, 4),
  read(value, at) {
    const parsed = value instanceof JsonNumber ? parseDecimal(value.text, 4, 4) : undefined;
    return parsed?.ok ? parsed.value : unreadable(at, "is not a percentage");
  },
};

/** Gold of bars in micrograms; grams with at most 6 decimals on the wire (Decision D94). */
export const FINE_GRAMS: Form<bigint> = {
  shape: decimalShape(6, "grams"),
  write: formatMicrograms,
  read(value, at) {
    const parsed = value instanceof JsonNumber ? parseDecimal(value.text, 6, 6) : undefined;
    return parsed?.ok ? parsed.value : unreadable(at, "is not a weight");
  },
};

/** Halalas that may be below zero; riyals on the wire. */
export const SIGNED_HALALAS: Form<bigint> = {
  shape: decimalShape(2, "SAR"),
  write: formatHalalas,
  read(value, at) {
    const text = value instanceof JsonNumber ? value.text : "";
    const parsed = parseHalalas(text.replace("-", ""));
    if (!parsed.ok) return unreadable(at, "is not an amount");
    return text.startsWith("-") ? -parsed.value : parsed.value;
  },
};

/** A fineness in ten-thousandths; parts per thousand on the wire, such as 999.9. */
export const FINENESS: Form<number> = {
  shape: decimalShape(1, "parts in a thousand"),
  write: (value) => formatDecimal(BigInt(value), 1),
  read(value, at) {
    const parsed = value instanceof JsonNumber ? parseDecimal(value.text, 1, 1) : undefined;
    return parsed?.ok ? Number(parsed.value) : unreadable(at, "is not a fineness");
  },
};

/** A sequence number of the database. */
export const SEQUENCE: Form<bigint> = mapped(INTEGER, { toWire: Number, fromWire: BigInt });

/** A whole number of any size, which is a text on the wire. */
export const BIG_TEXT: Form<bigint> = mapped(STRING, {
  toWire: String,
  fromWire: (text, at) => /^-?[0-9]+$/.test(text) ? BigInt(text) : unreadable(at, "is no number"),
});

const EVENT_ON_THE_WIRE = eventOf<string>({
  shape: { type: "object" },
  write: (json) => json,
  read: canonicalJson,
});

/** An event with its delivery; its object stays JSON text. */
export const EVENT: Form<PartnerEvent> = mapped(EVENT_ON_THE_WIRE, {
  toWire: ({ objectJson, ...event }) => ({ ...event, object: objectJson }),
  fromWire: ({ object, ...event }) => ({ ...event, objectJson: object } as PartnerEvent),
});
