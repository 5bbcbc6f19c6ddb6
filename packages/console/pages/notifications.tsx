import { listNotifications, markRead, type ReadNotification } from "@sabika/service/notifications";
import type { Call, Page } from "../call.ts";
import { Moment, None, State } from "../layout/inline.tsx";
import { pathOfNotification, sayNotification } from "../layout/notification.ts";
import { SETTINGS_PATH } from "./notification_settings.tsx";
import { Table } from "../layout/table.tsx";

const PATH = "/notifications";
const PAGE_LENGTH = 50;
const NUMBER = /^[1-9][0-9]{0,8}$/;

/** What the viewer was told, newest first. */
const notifications: Page = {
  path: PATH,
  act: "office.read",
  entry: "notifications",
  async show(call) {
    const { context, database: { sql }, viewer, language, words } = call;
    const before = context.req.query("before");
    if (before !== undefined && !isNumber(before)) return undefined;
    const told = await listNotifications(sql, viewer.operatorId, {
      before: before === undefined ? undefined : Number(before),
      limit: PAGE_LENGTH,
    });
    const newest = told.find(({ isUnread }) => isUnread);
    return {
      title: words.pages.notifications,
      content: (
        <>
          <p>
            <a href={`/${language}${SETTINGS_PATH}`}>{words.notifications.settings.link}</a>
          </p>
          <form method="post" action={`/${language}${PATH}/read`}>
            {newest && (
              <p>
                <button type="submit" class="plain" name="through" value={String(newest.id)}>
                  {words.notifications.markAll}
                </button>
              </p>
            )}
            <ToldTable call={call} told={told} />
            {told.length === PAGE_LENGTH && (
              <p class="pager">
                <a rel="next" href={`/${language}${PATH}?before=${told.at(-1)!.id}`}>
                  {words.orders.older}
                </a>
              </p>
            )}
          </form>
        </>
      ),
    };
  },
};

function ToldTable({ call, told }: { call: Call; told: readonly ReadNotification[] }) {
  const { words, language } = call;
  const { notifications: { caption, none, what, state, states, markRead } } = words;
  return (
    <Table
      caption={caption}
      empty={none}
      rows={told}
      columns={[
        { head: words.time, cell: ({ createdAtMs }) => <Moment ms={createdAtMs} /> },
        {
          head: what,
          cell: (one) => (
            <a href={`/${language}${pathOfNotification(one)}`}>
              <bdi>{sayNotification(words, one)}</bdi>
            </a>
          ),
        },
        {
          head: state,
          cell: ({ isUnread, kind, endedAtMs }) =>
            isUnread
              ? <State word={states.unread} mood="waiting" />
              : !kind.startsWith("approval_") && endedAtMs === null
              ? <State word={states.lasts} mood="bad" />
              : <>{states.read}</>,
        },
        {
          head: markRead,
          isAct: true,
          cell: ({ id, isUnread }) =>
            isUnread
              ? (
                <button type="submit" class="plain" name="id" value={String(id)}>
                  {markRead}
                </button>
              )
              : <None />,
        },
      ]}
    />
  );
}

/** Marks the viewer's own notifications as read; nothing else is changed, so nothing is signed. */
const read: Page = {
  path: `${PATH}/read`,
  method: "POST",
  act: "office.read",
  returnTo: (_, language) => Promise.resolve(`/${language}${PATH}`),
  async show({ context, database: { sql }, viewer, language }) {
    const { id, through } = await context.req.parseBody();
    await markRead(sql, viewer.operatorId, {
      ...isNumber(id) && { id: Number(id) },
      ...isNumber(through) && { through: Number(through) },
    });
    return context.redirect(`/${language}${PATH}`, 303);
  },
};

const isNumber = (text: unknown): text is string => typeof text === "string" && NUMBER.test(text);

/** The pages of what people are told. */
export const notificationPages: readonly Page[] = [notifications, read];
