import type { AnySql } from "@sabika/database";
import type { LockedPartner } from "@sabika/service/audit";
import { type Dossier, line } from "./line.ts";

/** What a dossier is made from: an act's arguments, read, and the databases that have its facts. */
export interface Subject<INPUT> {
  readonly input: INPUT;
  /** Control's database. */
  readonly control: AnySql;
  /** The partner that the act is about, if it is about one. */
  readonly partner: LockedPartner | undefined;
  /** The database of that partner's rows, for an act on those; else control's. */
  readonly cell: AnySql;
}

/** Makes the lines of an act's dossier (Decision D96). */
export type Describe<INPUT> = (subject: Subject<INPUT>) => Dossier | Promise<Dossier>;

/** A {@linkcode Subject} with its partner. */
export interface PartnerSubject<INPUT> extends Subject<INPUT> {
  readonly partner: LockedPartner;
}

/** Makes the dossier of an act about a partner: its name and state, then these lines. */
export function ofPartner<INPUT>(
  describe: (subject: PartnerSubject<INPUT>) => Dossier | Promise<Dossier> = () => [],
): Describe<INPUT> {
  return async (subject) => {
    const { partner } = subject;
    if (partner === undefined) throw new Error("the act names no partner");
    const { name, clientId, status } = partner;
    return [
      line("partner", { text: `${name} (${clientId})` }),
      line("status", { word: status }),
      ...await describe({ ...subject, partner }),
    ];
  };
}
