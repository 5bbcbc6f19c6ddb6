import type { Child } from "hono/jsx";
import type { Call } from "../call.ts";
import { fineness, grams } from "../format.ts";
import { Id, None } from "../layout/inline.tsx";
import type { Column } from "../layout/table.tsx";

/** What is stamped on a bar; null where it is not known. */
interface Stamps {
  readonly refiner: string | null;
  readonly finenessTenThousandths: number | null;
  readonly weightMicrograms: bigint | null;
}

/** Returns the columns of what is stamped on a bar, besides its serial: refiner, fineness, weight. */
export function stampColumns<Row>(
  { words: { fields } }: Call,
  stampsOf: (row: Row) => Stamps,
): Column<Row>[] {
  return [
    {
      head: fields.refiner,
      cell: (row) => orNone(stampsOf(row).refiner, (name) => <bdi>{name}</bdi>),
    },
    {
      head: fields.fineness,
      cell: (row) => orNone(stampsOf(row).finenessTenThousandths, fineness),
      isFigure: true,
    },
    {
      head: fields.weight_grams,
      cell: (row) => orNone(stampsOf(row).weightMicrograms, grams),
      isFigure: true,
    },
  ];
}

function orNone<T>(value: T | null, write: (value: T) => Child): Child {
  return value === null ? <None /> : write(value);
}

/** Where a bar lies; a dash where that is not known. */
export function placeOf({ vault, place }: {
  readonly vault?: string | null;
  readonly place?: string | null;
}): Child {
  const names = [vault, place].filter(Boolean).join(" · ");
  return names === "" ? <None /> : <bdi>{names}</bdi>;
}

/** The documents of a bar, by their hashes; a dash for none. */
export const documentsOf = ({ documents }: { readonly documents: readonly string[] }): Child =>
  documents.length === 0 ? <None /> : documents.map((sha256) => <Id text={sha256} />);
