// Transactional emails: create, update, delete; composing is part of content.
import { copyContent, type Email, type EmailOwner } from '#areas/content/server/index.ts';
import { sendTest } from '#areas/delivery/server/index.ts';
import type { ListRequest } from '#platform/contract.ts';
import { encodeId } from '#platform/ids.ts';
import { cutText } from '#platform/server/clean-text.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, invalid, notFound } from '#platform/server/errors.ts';
import { answerList } from '#platform/server/database/lists.ts';
import type { ContentKind } from '../../content/shared.ts';
import { TRANSACTIONAL_CALLS, type Transactional } from '../contract.ts';
import { MAX_EMAILS, MAX_TITLE } from '../shared.ts';
import type { EmailRow } from './emails.sql.ts';
import * as store from './emails.sql.ts';

type Who = { accountId: number; userId: number };
export type Settings = {
  title?: string | undefined;
  subject?: string | undefined;
  preheader?: string | undefined;
  from_name?: string | undefined;
  from_email?: string | undefined;
  reply_to?: string | undefined;
};

const NO_FIGURES = {
  sent: 0,
  delivered: 0,
  opens: 0,
  clicks: 0,
  bounces: 0,
  unsubscribes: 0,
  spam: 0,
};

export async function listEmails(
  db: Reader,
  accountId: number,
  list: ListRequest<'created' | 'title' | 'modified'>,
) {
  const page = await answerList(
    list,
    {
      rows: (slice) => store.listEmails(db, accountId, list, slice),
      total: () => store.countEmails(db, accountId, list.search),
    },
    (row) => row,
  );
  return { ...page, data: await present(db, accountId, page.data) };
}

/** `not_found`, also for another account's. */
export async function emailRow(db: Reader, accountId: number, id: number): Promise<EmailRow> {
  const row = await store.findEmail(db, accountId, id);
  if (!row) throw notFound();
  return row;
}

async function lockedRow(tx: Tx, accountId: number, id: number): Promise<EmailRow> {
  const row = await store.lockEmail(tx, accountId, id);
  if (!row) throw notFound();
  return row;
}

export async function readEmail(db: Reader, accountId: number, id: number) {
  const [email] = await present(db, accountId, [await emailRow(db, accountId, id)]);
  return email as Transactional;
}

export async function createEmail(tx: Tx, who: Who, settings: Settings): Promise<Transactional> {
  const title = settings.title || settings.subject || '';
  if (title === '') throw invalid({ title: ['errors.fields.required'] });
  await requireCapacity(tx, who.accountId);
  const isSettled = Boolean(settings.subject && settings.from_email);
  const row = { ...settings, title, created_by: who.userId };
  const id = await store.insertEmail(
    tx,
    who.accountId,
    { ...row, last_action: isSettled ? 'editor' : 'step1' },
    clock.now(),
  );
  return readEmail(tx, who.accountId, id);
}

async function requireCapacity(db: Reader, accountId: number): Promise<void> {
  if ((await store.countEmails(db, accountId)) >= MAX_EMAILS)
    throw new AppError('too_many_emails', { values: { most: MAX_EMAILS } });
}

/** @param revision the revision that the author edited; undefined: the current one */
export async function updateEmail(
  tx: Tx,
  accountId: number,
  id: number,
  revision: number | undefined,
  settings: Settings,
): Promise<Transactional> {
  const row = await lockedRow(tx, accountId, id);
  if (revision !== undefined && revision !== row.revision)
    throw new AppError('stale_revision', { extra: { revision: row.revision } });
  const isSettled = Boolean(
    (settings.subject ?? row.subject) && (settings.from_email ?? row.from_email),
  );
  await store.updateEmail(tx, accountId, id, {
    ...settings,
    ...(row.last_action === 'step1' && isSettled ? { last_action: 'editor' } : {}),
    revision: row.revision + 1,
    modified_at: clock.now(),
  });
  return readEmail(tx, accountId, id);
}

export async function deleteEmail(tx: Tx, accountId: number, id: number): Promise<void> {
  await lockedRow(tx, accountId, id);
  await store.updateEmail(tx, accountId, id, { deleted_at: clock.now() });
}

export async function duplicateEmail(tx: Tx, who: Who, id: number): Promise<Transactional> {
  const { accountId } = who;
  const row = await emailRow(tx, accountId, id);
  await requireCapacity(tx, accountId);
  const ref = contentRef(row);
  const copy = ref && (await copyContent(tx, accountId, ref, who.userId));
  const { subject, preheader, from_name, from_email, reply_to, language, last_action } = row;
  const copyId = await store.insertEmail(
    tx,
    accountId,
    {
      title: cutText(row.title, MAX_TITLE),
      ...{ subject, preheader, from_name, from_email, reply_to, language, last_action },
      content_id: copy?.content_id ?? null,
      content_revision: copy?.revision ?? null,
      content_kind: row.content_kind,
      created_by: who.userId,
    },
    clock.now(),
  );
  return readEmail(tx, accountId, copyId);
}

export function contentRef(row: EmailRow) {
  if (row.content_id === null || row.content_revision === null) return undefined;
  return { content_id: row.content_id, revision: row.content_revision };
}

/** The email as content sees it. */
export function composedOf(row: EmailRow): Email {
  return {
    accountId: row.account_id,
    id: row.id,
    revision: row.revision,
    content: contentRef(row),
    contentKind: row.content_kind as ContentKind | null,
    envelope: {
      kind: 'transactional',
      subject: row.subject,
      preheader: row.preheader,
      from: { name: row.from_name, email: row.from_email },
      reply_to: row.reply_to,
      language: row.language,
    },
  };
}

export const transactionalEmails: EmailOwner = {
  area: 'transactional',
  base: TRANSACTIONAL_CALLS,
  kind: 'transactional',
  lockErrors: {},
  find: async (db, accountId, id) => composedOf(await emailRow(db, accountId, id)),
  lock: async (tx, accountId, id) => composedOf(await lockedRow(tx, accountId, id)),
  keep: async (tx, { accountId, id, revision }, { content, kind }) =>
    store.updateEmail(tx, accountId, id, {
      content_id: content.content_id,
      content_revision: content.revision,
      content_kind: kind,
      last_action: 'step3',
      revision: revision + 1,
      modified_at: clock.now(),
    }),
  sendTest,
};

async function present(
  db: Reader,
  accountId: number,
  rows: readonly EmailRow[],
): Promise<Transactional[]> {
  const figures = await store.readFigures(
    db,
    accountId,
    rows.map((row) => row.id),
  );
  return rows.map((row) => {
    const id = encodeId('transactional', row.id);
    const { title, subject, preheader, from_name, from_email, reply_to, last_action } = row;
    const hasContent = row.content_revision !== null;
    return {
      id,
      ...{ title, subject, preheader, from_name, from_email, reply_to, last_action },
      revision: row.revision,
      editor: row.content_kind as ContentKind | null,
      thumbnail_url: hasContent ? `${TRANSACTIONAL_CALLS}/${id}/thumbnail?v=${row.revision}` : null,
      figures: figures.get(row.id) ?? NO_FIGURES,
      is_ready: hasContent && subject !== '' && from_email !== '',
      created: row.created_at.toISOString(),
      modified: row.modified_at.toISOString(),
    };
  });
}
