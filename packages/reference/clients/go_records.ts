import type { Model, RecordType } from "./model.ts";
import { type Field, goComment, goName, goNamed, goStruct, goTypeName } from "./go_names.ts";
import { GENERATED, indent, pascal } from "./words.ts";

const KEY: Field = {
  says: goComment("Your name for this write; a new one is made when it is empty."),
  name: "IdempotencyKey",
  type: "string",
  tag: '`json:"-"`',
};

/** Makes `resources.go`: a struct for each record and each body of a request. */
export function goResources({ records, calls }: Model): string {
  const bodies = new Map(calls.flatMap(({ body, name, description }) =>
    // The method by gold and that by money have one request.
    body === undefined ? [] : [[body.name, { body, name, description }] as const]
  ));
  const requests = [...bodies.values()].flatMap(({ body, name }) => {
    const type = goTypeName(body.name);
    return [
      "",
      ...goNamed(type, `the request of Client.${goName(name.replace("_for_money", ""))}.`),
      ...goStruct(type, body.name, body.members, true, [KEY]),
    ];
  });
  return [
    `// ${GENERATED}`,
    "",
    "package sabika",
    "",
    "import (",
    '\t"encoding/json"',
    '\t"time"',
    ")",
    ...records.flatMap((record) => ["", ...resource(record)]),
    ...requests,
    "",
  ].join("\n");
}

function resource({ name, says, members, isRequest }: RecordType): string[] {
  const type = goTypeName(name);
  const hasTimes = isRequest && members.some(({ kind }) => kind.is === "time");
  return [
    ...goNamed(type, says),
    ...goStruct(type, name, members, isRequest),
    // A time of Go has more digits than the service takes.
    ...hasTimes
      ? [
        "",
        "// MarshalJSON writes times to the millisecond.",
        `func (r ${type}) MarshalJSON() ([]byte, error) {`,
        "\treturn json.Marshal(map[string]any{",
        ...indent(
          members.map((member) => {
            const value = `r.${goName(member.name)}`;
            return `"${member.name}": ${
              member.kind.is === "time" ? `formatTime(${value})` : value
            },`;
          }),
          "\t\t",
        ),
        "\t})",
        "}",
      ]
      : [],
  ];
}

/** Makes `error_codes.go`: a value for each error code. */
export function goErrors({ errors }: Model): string {
  return [
    `// ${GENERATED}`,
    "",
    "package sabika",
    "",
    "// The codes with which calls fail: errors.Is(err, ErrQuoteExpired).",
    "const (",
    ...errors.flatMap(({ code, title }) =>
      indent([...goComment(`${title}.`), `Err${pascal(code)} ErrorCode = "${code}"`], "\t")
    ),
    ")",
    "",
  ].join("\n");
}
