import { type Dossier, writeLine } from "@sabika/office/dossier";
import type { Call } from "../call.ts";

/** An act's dossier (Decision D96), as whoever signs or reads it sees it: each line once, old → new. */
export function DossierLines({ call: { language, words }, dossier }: {
  call: Call;
  dossier: Dossier;
}) {
  const names = { acts: words.acts, roles: words.roles };
  return (
    <dl class="facts dossier">
      {dossier.map((line) => {
        const { label, value, was } = writeLine(line, language, names);
        return (
          <div class={line.changed === true ? "wrong" : line.context === true ? "soft" : undefined}>
            <dt>{label}</dt>
            <dd>
              {was !== undefined && (
                <>
                  <div class="was">
                    <bdi>{was}</bdi>
                  </div>
                  <span>{words.act.becomes}</span>
                  {" "}
                </>
              )}
              <bdi>{value}</bdi>
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
