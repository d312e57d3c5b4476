// Emails and browser notifications about requests for approval and mentions in comments.
import { notifyBrowsers, readMember } from '#areas/accounts/server/index.ts';
import { approvalDecided, approvalFiled } from '#areas/approvals/server/index.ts';
import { commentAdded } from '#areas/folders/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { on } from '#platform/server/area.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { serverTexts } from '#platform/server/texts.ts';
import type { SystemEmailKind } from './system-email.ts';

const KINDS = {
  approved: 'approvalApproved',
  declined: 'approvalDeclined',
  expired: 'approvalExpired',
} as const;

type Notice = {
  accountId: number;
  userIds: readonly number[];
  kind: SystemEmailKind;
  /** Path suffix of the email's button link. */
  token: string;
  /** The path that a browser notification opens. */
  path: string;
  occasion: string;
  subject: string;
  /** The user who acted, or whose credential a program used. */
  actorId: number | null;
  program?: string | undefined;
  text: string;
};

type Send = (
  tx: Tx,
  email: {
    accountId: number;
    kind: SystemEmailKind;
    language: string;
    email: string;
    token: string;
    occasion: string;
    values: Record<string, string>;
  },
) => Promise<void>;

/** Creates event handlers that notify users by email and in their browsers. */
export const createApprovalNotices = (send: Send) => [
  on(approvalFiled, (tx, { accountId, approvalId, title, deciders, ...event }) => {
    const { requesterId, program, note } = event;
    const id = encodeId('approval', approvalId);
    return notify(tx, send, {
      ...{
        accountId,
        userIds: deciders,
        kind: 'approvalRequested',
        token: id,
        path: `/approvals/${id}`,
      },
      ...{
        occasion: `approval asked ${approvalId}`,
        subject: title,
        actorId: requesterId,
        text: note,
      },
      program,
    });
  }),
  on(approvalDecided, async (tx, { accountId, approvalId, title, state, ...event }) => {
    const { requesterId, decidedBy, reason } = event;
    // Requesters are not notified of changes that they made.
    if (state === 'outdated' || decidedBy === requesterId) return;
    const id = encodeId('approval', approvalId);
    await notify(tx, send, {
      ...{
        accountId,
        userIds: [requesterId],
        kind: KINDS[state],
        token: id,
        path: `/approvals/${id}`,
      },
      ...{ occasion: `approval ${state} ${approvalId}`, subject: title },
      ...{ actorId: decidedBy, text: reason },
    });
  }),
  on(commentAdded, (tx, { accountId, noteId, title, path, text, userId, mentions }) =>
    notify(tx, send, {
      ...{ accountId, userIds: mentions, kind: 'commentMention', token: path, path },
      ...{ occasion: `comment ${noteId}`, subject: title, actorId: userId, text },
    }),
  ),
];

async function notify(tx: Tx, send: Send, notice: Notice): Promise<void> {
  const { accountId, userIds, kind, token, path, occasion, subject } = notice;
  const name = await readUserName(tx, accountId, notice.actorId);
  const values = {
    inviter: notice.program ? `${notice.program} (${name})` : name,
    mail_subject: subject,
    reply: notice.text || '–',
  };
  const reachedUsers: number[] = [];
  for (const userId of userIds) {
    const user = await readMember(tx, accountId, userId);
    if (!user) continue;
    reachedUsers.push(userId);
    const { email, language } = user;
    if (user.email_verified_at === null) continue;
    await send(tx, {
      ...{ accountId, kind, language, email, token, occasion: `${occasion} ${userId}`, values },
    });
  }
  if (reachedUsers.length === 0) return;
  await notifyBrowsers(
    tx,
    accountId,
    (language) => {
      const t = serverTexts('system-emails', language);
      const placeholders = { subject, inviter: values.inviter, reply: values.reply };
      const title = t(`${kind}.subject`, placeholders);
      return { title, body: t(`${kind}.body`, placeholders), path, tag: path };
    },
    reachedUsers,
  );
}

/** Returns a member's name, or email address if there is no name; `–` for other users. */
async function readUserName(tx: Tx, accountId: number, userId: number | null): Promise<string> {
  const user = userId === null ? undefined : await readMember(tx, accountId, userId);
  return [user?.name, user?.surname].filter(Boolean).join(' ') || user?.email || '–';
}
