import type { Messages } from "../languages/languages.ts";

/** Why there is no page, and the way on. */
export function Notice({ words, because, home }: {
  words: Messages;
  because: string;
  home: string;
}) {
  return (
    <div class="card narrow">
      <p>{because}</p>
      <p>
        <a href={home}>{words.notices.back}</a>
      </p>
    </div>
  );
}
