// Queries for email content, which is stored as a sequence of immutable revisions.
import { type Selectable, sql } from 'kysely';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { SubscriberAddresses } from '#platform/server/database/address-search.sql.ts';
import type { ContentKind } from '../shared.ts';

export type RevisionRow = Selectable<DB['content_revisions']>;
export type NewRevision = {
  kind: ContentKind;
  document: unknown;
  html: string | null;
  plain_text: string | null;
  inline_css: boolean;
  created_by: number | null;
};

export async function insertContent(tx: Tx, accountId: number, at: Date): Promise<number> {
  const row = await tx
    .insertInto('contents')
    .values({ account_id: accountId, created_at: at, modified_at: at })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

/** Increments and returns the content's revision; undefined if the content does not exist. */
export async function advanceRevision(
  tx: Tx,
  accountId: number,
  contentId: number,
  at: Date,
): Promise<number | undefined> {
  const row = await tx
    .updateTable('contents')
    .set((e) => ({ revision: e('revision', '+', 1), modified_at: at }))
    .where('account_id', '=', accountId)
    .where('id', '=', contentId)
    .returning('revision')
    .executeTakeFirst();
  return row?.revision;
}

export async function insertRevision(
  tx: Tx,
  accountId: number,
  contentId: number,
  revision: number,
  content: NewRevision,
  at: Date,
): Promise<void> {
  await tx
    .insertInto('content_revisions')
    .values({
      account_id: accountId,
      content_id: contentId,
      revision,
      ...content,
      document: content.document === null ? null : JSON.stringify(content.document),
      created_at: at,
    })
    .execute();
}

export const { find: findRevision } = accountTable('content_revisions', 'content_id', 'revision');

/** Returns the given content ids whose current revision matches the pattern. */
export async function filterContentsByPattern(
  db: Reader,
  accountId: number,
  contentIds: readonly number[],
  pattern: string,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select c.id from contents c
    join content_revisions r
      on r.account_id = c.account_id and r.content_id = c.id and r.revision = c.revision
    where c.account_id = ${accountId} and r.account_id = ${accountId}
      and c.id = any(${[...contentIds]}::bigint[])
      and concat_ws(' ', r.html, r.plain_text, r.document::text) ~ ${pattern}`.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * Returns the given content ids whose current revision or names of attachments contain one of the
 * email addresses or phone numbers. `pattern` decides; the plain searches before it avoid
 * evaluating it for most rows.
 */
export async function filterContentsByNaming(
  db: Reader,
  accountId: number,
  contentIds: readonly number[],
  { emails, phoneDigits, pattern }: SubscriberAddresses & { pattern: string },
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select c.id from contents c
    join content_revisions r
      on r.account_id = c.account_id and r.content_id = c.id and r.revision = c.revision
    cross join lateral (select lower(concat_ws(' ', r.html, r.plain_text, r.document::text,
      (select string_agg(a.name, ' ') from content_attachments a
        where a.account_id = ${accountId} and a.content_id = c.id and a.removed_at is null)))) w (text)
    where c.account_id = ${accountId} and r.account_id = ${accountId}
      and c.id = any(${[...contentIds]}::bigint[])
      and (exists (select 1 from unnest(${[...emails]}::text[]) g (email)
          where position(g.email in w.text) > 0)
        or exists (select 1 from unnest(${[...phoneDigits]}::text[]) g (digits)
          where position(g.digits in translate(w.text, ' ().-', '')) > 0))
      and w.text ~ ${pattern}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Returns the given image files that current revisions refer to. */
export async function listKeysInContents(
  db: Reader,
  accountId: number,
  fileKeys: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select distinct found.key[1] as key
    from contents c
    join content_revisions r
      on r.account_id = c.account_id and r.content_id = c.id and r.revision = c.revision
    cross join lateral regexp_matches(
      coalesce(r.document::text, '') || coalesce(r.html, ''),
      '/i/[A-Za-z0-9]+/([a-z0-9]{32})', 'g') as found (key)
    where c.account_id = ${accountId} and r.account_id = ${accountId}
      and found.key[1] = any(${[...fileKeys]}::text[])`.execute(db);
  return rows.map(({ key }) => key);
}
