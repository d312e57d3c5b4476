// Lists, creates, changes and deletes transactional emails (templates). The content area composes
// them.
import {
  copyContent,
  type Email,
  type EmailAdapter,
  readStoredContent,
} from '#areas/content/server/index.ts';
import { readFields } from '#areas/fields/server/index.ts';
import { sendTest } from '#areas/delivery/server/ledger/index.ts';
import type { ListRequest } from '#platform/contract.ts';
import { encodeId } from '#platform/ids.ts';
import { cutText } from '#platform/server/clean-text.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, invalid, notFound } from '#platform/server/errors.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import type { Actor } from '#platform/server/http/serve.ts';
import type { ContentKind } from '../../content/shared.ts';
import {
  type VariableSample,
  type TemplateDetails,
  TRANSACTIONAL_PATH,
  type Transactional,
} from '../contract.ts';
import { MAX_EMAILS, MAX_TITLE_LENGTH } from '../shared.ts';
import type { EmailRow } from './emails.sql.ts';
import * as store from './emails.sql.ts';
import { createSourcePreparer, readSamples } from './samples.ts';
import {
  type DeclaredVariable,
  listTemplateTexts,
  createSampleValues,
  findVariables,
} from './variables.ts';

export type TransactionalSettings = {
  title?: string | undefined;
  subject?: string | undefined;
  preheader?: string | undefined;
  from_name?: string | undefined;
  from_email?: string | undefined;
  reply_to?: string | undefined;
  variables?: DeclaredVariable[] | undefined;
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

/** Public id of the report on emails that were sent without a template. */
const OTHER_ID = encodeId('transactional', store.NO_TEMPLATE);

export async function listEmails(
  db: Reader,
  accountId: number,
  list: ListRequest<'created' | 'title' | 'modified'>,
) {
  const page = await buildListResponse(
    list,
    {
      rows: (slice) => store.listEmails(db, accountId, list, slice),
      total: () => store.countEmails(db, accountId, list.search),
    },
    (row) => row,
  );
  return { ...page, data: await present(db, accountId, page.data) };
}

/**
 * Reads the id and statistics of the report on emails without a template; null if none was sent.
 */
export async function readFiguresWithoutTemplate(db: Reader, accountId: number) {
  const figures = await store.readOtherCounts(db, accountId);
  return figures ? { id: OTHER_ID, figures } : null;
}

/** @throws `not_found` if it is unknown or belongs to another account */
export async function requireEmail(db: Reader, accountId: number, id: number): Promise<EmailRow> {
  const row = await store.findEmail(db, accountId, id);
  if (!row) throw notFound();
  return row;
}

async function lockedRow(tx: Tx, accountId: number, id: number): Promise<EmailRow> {
  const row = await store.lockEmail(tx, accountId, id);
  if (!row) throw notFound();
  return row;
}

export async function readEmail(
  db: Reader,
  accountId: number,
  id: number,
): Promise<TemplateDetails> {
  const row = await requireEmail(db, accountId, id);
  const [email] = await present(db, accountId, [row]);
  return { ...(email as Transactional), variables: await readVariables(db, row) };
}

/**
 * Reads a template, or for NO_TEMPLATE a placeholder with the statistics of emails without one.
 * @throws `not_found`, which for NO_TEMPLATE means that no such email was sent
 */
export async function readReported(
  db: Reader,
  accountId: number,
  id: number,
): Promise<TemplateDetails> {
  if (id !== store.NO_TEMPLATE) return readEmail(db, accountId, id);
  const figures = await store.readOtherCounts(db, accountId);
  if (!figures) throw notFound();
  const at = clock.now().toISOString();
  return {
    id: OTHER_ID,
    ...{ title: '', subject: '', preheader: '', from_name: '', from_email: '', reply_to: '' },
    ...{ last_action: '', revision: 1, editor: null, thumbnail_url: null, is_ready: false },
    ...{ figures, created: at, modified: at, variables: [] },
  };
}

/**
 * Requires that the account has the template; NO_TEMPLATE always exists.
 * @throws `not_found`
 */
export async function requireReported(db: Reader, accountId: number, id: number): Promise<void> {
  if (id !== store.NO_TEMPLATE) await requireEmail(db, accountId, id);
}

/**
 * Returns the variables in subject, preheader and content, and those that the author added, with
 * samples.
 */
export async function readVariables(db: Reader, row: EmailRow) {
  const email = toEmail(row);
  const content = await readStoredContent(db, email);
  const fields = (await readFields(db, row.account_id)).map(({ name }) => name);
  const sources = [row.subject, row.preheader, content.html, content.plain_text, content.document];
  const usedVariables = findVariables(sources.flatMap(listTemplateTexts), fields);
  return readSamples(db, row, usedVariables);
}

/** Returns samples of the variables that are used, nested as in the body of a call. */
export async function readSampleVariables(db: Reader, accountId: number, id: number) {
  const variables = await readVariables(db, await requireEmail(db, accountId, id));
  return createSampleValues(variables.filter((variable) => variable.is_used));
}

export async function createEmail(
  tx: Tx,
  caller: Actor,
  settings: TransactionalSettings,
): Promise<TemplateDetails> {
  const title = settings.title || settings.subject || '';
  if (title === '') throw invalid({ title: ['errors.fields.required'] });
  await requireCapacity(tx, caller.accountId);
  const hasEnvelope = Boolean(settings.subject && settings.from_email);
  const { variables: _, ...columns } = settings;
  const row = { ...columns, title, created_by: caller.userId };
  const id = await store.insertEmail(
    tx,
    caller.accountId,
    { ...row, last_action: hasEnvelope ? 'editor' : 'step1' },
    clock.now(),
  );
  return readEmail(tx, caller.accountId, id);
}

async function requireCapacity(db: Reader, accountId: number): Promise<void> {
  if ((await store.countEmails(db, accountId)) >= MAX_EMAILS)
    throw new AppError('too_many_emails', { values: { most: MAX_EMAILS } });
}

/** @param revision the revision that the author edited; undefined overwrites any revision */
export async function updateEmail(
  tx: Tx,
  accountId: number,
  id: number,
  revision: number | undefined,
  settings: TransactionalSettings,
): Promise<TemplateDetails> {
  const row = await lockedRow(tx, accountId, id);
  if (revision !== undefined && revision !== row.revision)
    throw new AppError('stale_revision', { extra: { revision: row.revision } });
  const hasEnvelope = Boolean(
    (settings.subject ?? row.subject) && (settings.from_email ?? row.from_email),
  );
  const { variables, ...columns } = settings;
  await store.updateEmail(tx, accountId, id, {
    ...columns,
    ...(variables && { variables: JSON.stringify(variables) }),
    ...(row.last_action === 'step1' && hasEnvelope ? { last_action: 'editor' } : {}),
    revision: row.revision + 1,
    modified_at: clock.now(),
  });
  return readEmail(tx, accountId, id);
}

export async function deleteEmail(tx: Tx, accountId: number, id: number): Promise<void> {
  await lockedRow(tx, accountId, id);
  await store.updateEmail(tx, accountId, id, { deleted_at: clock.now() });
}

export async function duplicateEmail(tx: Tx, caller: Actor, id: number): Promise<TemplateDetails> {
  const { accountId } = caller;
  const row = await requireEmail(tx, accountId, id);
  await requireCapacity(tx, accountId);
  const ref = toContentRef(row);
  const copy = ref && (await copyContent(tx, accountId, ref, caller.userId));
  const { subject, preheader, from_name, from_email, reply_to, language, last_action } = row;
  const copyId = await store.insertEmail(
    tx,
    accountId,
    {
      title: cutText(row.title, MAX_TITLE_LENGTH),
      ...{ subject, preheader, from_name, from_email, reply_to, language, last_action },
      content_id: copy?.content_id ?? null,
      content_revision: copy?.revision ?? null,
      content_kind: row.content_kind,
      variables: JSON.stringify(row.variables),
      created_by: caller.userId,
    },
    clock.now(),
  );
  return readEmail(tx, accountId, copyId);
}

function toContentRef(row: EmailRow) {
  if (row.content_id === null || row.content_revision === null) return undefined;
  return { content_id: row.content_id, revision: row.content_revision };
}

/** Converts the email to the form that the content area composes. */
export function toEmail(row: EmailRow): Email {
  return {
    accountId: row.account_id,
    id: row.id,
    revision: row.revision,
    content: toContentRef(row),
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

/**
 * Returns the merge tags that the editor offers for a variable, and for a list the tags of its
 * items.
 */
function tagsOf({ name, sample }: { name: string; sample: VariableSample }) {
  if (!Array.isArray(sample)) return [{ name, title: name, isRequired: true }];
  const [first] = sample;
  const items = typeof first === 'object' ? Object.keys(first) : [];
  return [
    { name, title: name, isList: true },
    ...items.map((item) => ({
      name: `item.${item}`,
      title: `${name}: ${item}`,
      isRequired: true,
    })),
  ];
}

export const transactionalEmails: EmailAdapter = {
  area: 'transactional',
  basePath: TRANSACTIONAL_PATH,
  kind: 'transactional',
  lockErrors: {},
  find: async (db, accountId, id) => {
    const row = await requireEmail(db, accountId, id);
    const variables = (await readVariables(db, row)).flatMap(tagsOf);
    return { ...toEmail(row), variables, prepare: createSourcePreparer(db, row) };
  },
  // A template can always be changed: each call sends its newest content.
  lock: async (tx, accountId, id) => ({
    ...toEmail(await lockedRow(tx, accountId, id)),
    rightToChange: 'transactional',
  }),
  saveContent: async (tx, { accountId, id, revision }, { content, kind }) =>
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
      thumbnail_url: hasContent ? `${TRANSACTIONAL_PATH}/${id}/thumbnail?v=${row.revision}` : null,
      figures: figures.get(row.id) ?? NO_FIGURES,
      is_ready: hasContent && subject !== '' && from_email !== '',
      created: row.created_at.toISOString(),
      modified: row.modified_at.toISOString(),
    };
  });
}
