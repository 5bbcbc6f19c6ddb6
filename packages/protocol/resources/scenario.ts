import { type Form, oneOf, TIME } from "../form.ts";
import { JsonNumber, type JsonValue } from "../json.ts";
import { member, record } from "../record_form.ts";
import { parseTime } from "../times.ts";
import { choice, type Field, MID_PRICE, MONEY, TEXT } from "../request_fields.ts";
import { alternative, nullOr, type RequestForm, requestForm, required } from "../request_form.ts";

/** What a scenario sets (Decision D111). */
export type ScenarioKind = "price" | "funding" | "webhooks" | "clock";

/** How money comes that a partner has sent. */
export const FUNDING_COURSES = ["later", "short", "twice", "returned"] as const;
/** One of {@link FUNDING_COURSES}. */
export type FundingCourse = (typeof FUNDING_COURSES)[number];

/** How the events of a while are delivered after it. */
export const WEBHOOK_COURSES = ["late", "twice", "out_of_order", "old_secret"] as const;
/** One of {@link WEBHOOK_COURSES}. */
export type WebhookCourse = (typeof WEBHOOK_COURSES)[number];

/** The most seconds after which something of a scenario happens. */
const SCENARIO_MAX_SECONDS = 86_400;
/** The most points of a price path. */
const PRICE_PATH_MAX = 1_000;

/** A point of a price path; its price holds until the next point. */
export interface PricePoint {
  /** Seconds after the scenario begins. */
  readonly afterSeconds: number;
  /** Ten-thousandths of a riyal per gram; null: the market is closed. */
  readonly midTenThousandths: bigint | null;
}

/** The hours of the market, in Riyadh; `opens` may be later than `closes`. */
export interface MarketHours {
  /** Such as `09:00`. */
  readonly opens: string;
  /** Such as `17:00`. */
  readonly closes: string;
}

/** A course of the price; without path and hours the market is as it was before any scenario. */
export interface PriceScenario {
  /** The price by time; null: that of the price source. */
  readonly path: readonly PricePoint[] | null;
  /** When there is a price at all; null: always. */
  readonly hours: MarketHours | null;
}

/** Money that a partner has sent to its account. */
export interface FundingScenario {
  /** The amount that was sent. */
  readonly amountHalalas: bigint;
  /** What comes of it. */
  readonly comes: FundingCourse;
  /** When it arrives; null: at once. */
  readonly afterSeconds: number | null;
}

/** What becomes of the events of the next seconds, whatever causes them. */
export interface WebhooksScenario {
  /** What is wrong with their delivery. */
  readonly comes: WebhookCourse;
  /** For how many seconds they are held back. */
  readonly afterSeconds: number;
}

/** A time to which the sandbox's clock is set forward. */
export interface ClockScenario {
  /** Epoch milliseconds; nothing happens if the clock is past it. */
  readonly advanceToMs: number;
}

/** The body of POST /sandbox/scenario: one of these. */
export type ScenarioRequest = {
  [Kind in ScenarioKind]:
    & { readonly [Own in Kind]: ScenarioMembers[Own] }
    & { readonly [Other in Exclude<ScenarioKind, Kind>]?: undefined };
}[ScenarioKind];

/** The members of {@linkcode ScenarioRequest}, of which one is there. */
export interface ScenarioMembers {
  /** A course of the price. */
  readonly price: PriceScenario;
  /** Money on its way. */
  readonly funding: FundingScenario;
  /** The events of the next seconds. */
  readonly webhooks: WebhooksScenario;
  /** A later time. */
  readonly clock: ClockScenario;
}

/** A scenario that has begun. */
export interface Scenario {
  /** Its kind. */
  readonly kind: ScenarioKind;
  /** When it began. */
  readonly beganAtMs: number;
  /** When its last change happens. */
  readonly endsAtMs: number;
}

const SECONDS: Field<number> = {
  shape: { type: "integer", minimum: 0, maximum: SCENARIO_MAX_SECONDS },
  write: String,
  read: (value) =>
    value instanceof JsonNumber && /^\d{1,5}$/.test(value.text) &&
      Number(value.text) <= SCENARIO_MAX_SECONDS
      ? { ok: true, value: Number(value.text) }
      : wrong(`must be a whole number from 0 to ${SCENARIO_MAX_SECONDS}`),
};

const TIME_OF_DAY: Field<string> = {
  shape: { type: "string", pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$" },
  write: TEXT.write,
  read: (value) =>
    typeof value === "string" && /^([01]\d|2[0-3]):[0-5]\d$/.test(value)
      ? { ok: true, value }
      : wrong("must be a time of day such as 09:00"),
};

const POINT = requestForm<PricePoint>("PricePoint", {
  afterSeconds: required("after_seconds", SECONDS, "Seconds after the scenario begins."),
  midTenThousandths: nullOr("mid_sar", MID_PRICE, "The mid price; null: the market is closed."),
});

const PATH: Field<readonly PricePoint[]> = {
  shape: { type: "array", items: POINT.shape, maxItems: PRICE_PATH_MAX },
  write: (points) => `[${points.map(POINT.write).join(",")}]`,
  read(value) {
    if (!Array.isArray(value) || value.length === 0 || value.length > PRICE_PATH_MAX) {
      return wrong(`must be a list of 1 to ${PRICE_PATH_MAX} points`);
    }
    const points: PricePoint[] = [];
    for (const [index, item] of (value as readonly JsonValue[]).entries()) {
      const point = nested(POINT).read(item);
      if (!point.ok) return wrong(`${index}: ${point.message}`);
      if (point.value.afterSeconds < (points.at(-1)?.afterSeconds ?? 0)) {
        return wrong(`${index}: must not be before the point that precedes it`);
      }
      points.push(point.value);
    }
    return { ok: true, value: points };
  },
};

const HOURS = requestForm<MarketHours>("MarketHours", {
  opens: required("opens", TIME_OF_DAY, "From this time of day in Riyadh there is a price."),
  closes: required("closes", TIME_OF_DAY, "From this time of day there is none."),
});

const PRICE_SCENARIO = requestForm<PriceScenario>("PriceScenario", {
  path: nullOr("path", PATH, "The price by time: each point's holds until the next point."),
  hours: nullOr("hours", nested(HOURS), "When the market is open, every day."),
});

const FUNDING_SCENARIO = requestForm<FundingScenario>("FundingScenario", {
  amountHalalas: required("amount_sar", MONEY, "The money that was sent."),
  comes: required(
    "comes",
    choice(FUNDING_COURSES),
    "`short`: nine tenths arrive. `returned`: the bank sends it back, nothing arrives.",
  ),
  afterSeconds: nullOr("after_seconds", SECONDS, "When it arrives; at once if left out."),
});

const WEBHOOKS_SCENARIO = requestForm<WebhooksScenario>("WebhooksScenario", {
  comes: required(
    "comes",
    choice(WEBHOOK_COURSES),
    "`out_of_order`: the last event first. `old_secret`: signed with a secret that has ended, " +
      "and then with the right one.",
  ),
  afterSeconds: required(
    "after_seconds",
    SECONDS,
    "For how many seconds events are held back before they are sent like this.",
  ),
});

const LATER: Field<number> = {
  shape: TIME.shape,
  write: TIME.write,
  read(value) {
    const time = typeof value === "string" ? parseTime(value) : undefined;
    return time === undefined ? wrong("must be a time in UTC") : { ok: true, value: time };
  },
};

const CLOCK_SCENARIO = requestForm<ClockScenario>("ClockScenario", {
  advanceToMs: required("advance_to", LATER, "Until then the clock is set forward."),
});

/** The form of the body of POST /sandbox/scenario. */
export const SCENARIO_REQUEST = requestForm<
  { [Kind in ScenarioKind]: ScenarioMembers[Kind] | undefined }
>("ScenarioRequest", {
  price: alternative("price", nested(PRICE_SCENARIO), "A course of the price, for everybody."),
  funding: alternative("funding", nested(FUNDING_SCENARIO), "Money on its way to you."),
  webhooks: alternative("webhooks", nested(WEBHOOKS_SCENARIO), "Your events of the next seconds."),
  clock: alternative("clock", nested(CLOCK_SCENARIO), "A later time, for everybody."),
}) as RequestForm<ScenarioRequest>;

/** The form of the answer to POST /sandbox/scenario. */
export const SCENARIO: Form<Scenario> = record<Scenario>("scenario", {
  kind: member(
    "kind",
    oneOf<ScenarioKind>(["price", "funding", "webhooks", "clock"]),
    "The member of the request.",
  ),
  beganAtMs: member("began_at", TIME, "When it began."),
  endsAtMs: member("ends_at", TIME, "When the last of it happens."),
});

/** Makes the field of an object; what is wrong in it is said of the member that it stands in. */
function nested<T extends object>(form: RequestForm<T>): Field<T> {
  return {
    shape: form.shape,
    write: form.write,
    read(value) {
      const parsed = form.parse(value);
      if (parsed.ok) return parsed;
      const { pointer, code, message } = parsed.errors[0]!;
      return { ok: false, code, message: pointer === "" ? message : `${pointer} ${message}` };
    },
  };
}

function wrong(message: string) {
  return { ok: false as const, code: "wrong_form" as const, message };
}
