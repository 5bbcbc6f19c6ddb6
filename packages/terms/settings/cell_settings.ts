import { NOT_WHOLE, PATH, text, wholeNumber } from "./value.ts";
import type { Setting } from "./setting.ts";

/** The settings of several databases: cells, standbys, and control that is away. */
export const CELL_SETTINGS = {
  SABIKA_CELLS_FILE: {
    readBy: ["server", "office", "operator"],
    means:
      "Where the cells beside control are ([scale](scale.md)); control's URL is the one above. Read at " +
      "the start.",
    value: text("path of a file with a line for each: `NAME postgres://…`"),
    otherwise: "control's database is the only cell",
    never: "a cell on another machine without `sslmode=verify-full`",
    refused: ["/nowhere/cells"],
    secret: "file",
  },
  SABIKA_STANDBY_LAG_SECONDS: {
    readBy: ["server", "office"],
    means:
      "How far a standby that a database's URL names may be behind for what is past to be read there " +
      "([D121](decisions/database.md#d121-the-past-is-read-on-standbys)); 0: all reads go to the primary.",
    value: wholeNumber("seconds", { least: 0, most: 60, otherwise: 0 }),
    never: "above 60",
    refused: [...NOT_WHOLE, "-1", "61"],
  },
  SABIKA_CONTROL_AWAY_SECONDS: {
    readBy: ["server"],
    means:
      "How long partners of other cells go on while control is away ([D116](decisions/database.md#d116-control-may-be-away)); 0: not at all.",
    value: wholeNumber("seconds", { least: 0, otherwise: 300 }),
    refused: [...NOT_WHOLE, "-1"],
  },
  SABIKA_REVOCATIONS_FOLDER: {
    readBy: ["server", "office", "operator"],
    means:
      "The folder, shared or copied, into which the office writes signed revocations and which servers watch, for when control is away ([D116](decisions/database.md#d116-control-may-be-away)).",
    value: PATH,
    otherwise: "revocations come from control alone",
  },
  SABIKA_SNAPSHOT_FILE: {
    readBy: ["server"],
    means:
      "Where servers keep what they know of control, signed and with its secrets sealed, so that one starts " +
      "while control is away ([D116](decisions/database.md#d116-control-may-be-away)). Servers of one " +
      "machine may share it.",
    value: PATH,
    otherwise: "a starting server waits for control",
    secret: "file",
  },
} satisfies Readonly<Record<string, Setting>>;
