// SQL that removes addresses of erased subscribers from the texts of an account's objects.
import { type RawBuilder, sql } from 'kysely';
import { mentionsAddress, type SubscriberAddresses } from '../database/address-search.sql.ts';
import type { DB } from '../database/database.generated.ts';
import type { Tx } from '../database/database.ts';
import { encodeId, type Kind } from '../../ids.ts';
import { buildAddressPattern, describeNaming, namesAddress } from './addresses.ts';
import type { contentsNamingAddresses } from './erasure.ts';

/**
 * True for a text that contains one of the email addresses as a whole, or the final digits of one
 * of the phone numbers.
 */
export const containsAddress = (text: RawBuilder<unknown>, addresses: readonly string[]) =>
  sql<boolean>`(${mentionsAddress(text, describeNaming(addresses))}
    and lower(${text}) ~ ${buildAddressPattern(addresses)})`;

/** Tables of an account. */
type AccountTable = {
  [Table in keyof DB]: DB[Table] extends { account_id: unknown } ? Table : never;
}[keyof DB];

/** Rewrites the texts of an account that name an address. */
export type RewriteTexts = (
  tx: Tx,
  accountId: number,
  naming: SubscriberAddresses,
  rewrite: (text: string) => string,
) => Promise<void>;

type Options<Table extends AccountTable> = {
  /** The columns with text, or JSON with text; by default the title. */
  columns?: readonly (keyof DB[Table] & string)[];
  /** The primary key without the account; by default the ID. */
  keys?: readonly (keyof DB[Table] & string)[];
  /** Computes the column `<column>_key`, if the table has one. */
  toKey?: (text: string) => string;
  /** Appends the first key to a rewritten text, because it has to be unique. */
  isUnique?: boolean;
};

/**
 * Creates the function that rewrites the title, or other text columns, of one table. Called by the
 * area that owns the table.
 */
export function createTextRewriter<Table extends AccountTable>(
  table: Table,
  options: Options<Table> = {},
): RewriteTexts {
  const { toKey, isUnique = false } = options;
  // Typed as columns of one arbitrary table, because the builder needs only names.
  const name = table as unknown as 'groups';
  const columns = (options.columns ?? ['title']) as readonly 'title'[];
  const keys = (options.keys ?? ['id']) as readonly 'id'[];
  const text = sql`concat_ws(' ', ${sql.join(columns.map((column) => sql.ref(column)))})`;
  return async (tx, accountId, naming, rewrite) => {
    let query = tx
      .selectFrom(name)
      .select([...keys, ...columns])
      .where('account_id', '=', accountId)
      .where(mentionsAddress(text, naming));
    for (const key of keys) query = query.orderBy(key);
    const rows = await query.forUpdate().execute();
    for (const row of rows) {
      const change: Record<string, string> = {};
      for (const column of columns) {
        const rewritten = rewriteValue(row[column], rewrite);
        if (rewritten === undefined) continue;
        change[column] = isUnique ? `${rewritten} ${row[keys[0] ?? 'id']}` : rewritten;
        if (toKey) change[`${column}_key`] = toKey(change[column]);
      }
      if (Object.keys(change).length === 0) continue;
      let update = tx.updateTable(name).set(change).where('account_id', '=', accountId);
      for (const key of keys) update = update.where(key, '=', row[key]);
      await update.execute();
    }
  };
}

/**
 * Returns the rewritten text, or the JSON with rewritten strings, or undefined if nothing changed.
 */
function rewriteValue(value: unknown, rewrite: (text: string) => string): string | undefined {
  if (value === null) return undefined;
  const isText = typeof value === 'string';
  const written = isText ? value : JSON.stringify(value);
  const rewritten = isText
    ? rewrite(value)
    : JSON.stringify(value, (_, part: unknown) =>
        typeof part === 'string' ? rewrite(part) : part,
      );
  return rewritten === written ? undefined : rewritten;
}

/** Maximum number of objects that one finder returns. */
const MAX_FOUND = 20;
const MAX_TITLE_LENGTH = 100;

/**
 * Creates the handler of `contentsNamingAddresses` for columns that an erasure must not change. It
 * returns the objects that contain an address, even in a URL. An object without a title is returned
 * with the text that contains the address as its title. With the kind `account`, the columns are
 * settings, which have no ID of their own, so the account is returned.
 */
export function createTextFinder<Table extends AccountTable>(
  table: Table,
  options: {
    kind: Kind;
    columns: readonly (keyof DB[Table] & string)[];
    title?: keyof DB[Table] & string;
  },
): Parameters<typeof contentsNamingAddresses.handle>[0] {
  const { kind } = options;
  // Typed as columns of one arbitrary table, because the builder needs only names.
  const name = table as unknown as 'groups';
  const texts = options.columns.map((column) => sql`${sql.ref(column)}::text`);
  const text = sql<string>`replace(concat_ws(' ', ${sql.join(texts)}), '%40', '@')`;
  const title = options.title ? sql<string>`${sql.ref(options.title)}` : text;
  const id = kind === 'account' ? ('account_id' as 'id') : 'id';
  return async (tx, { accountId, addresses }) => {
    const rows = await tx
      .selectFrom(name)
      .select([`${id} as id`, text.as('text'), title.as('title')])
      .where('account_id', '=', accountId)
      .where(mentionsAddress(text, describeNaming(addresses)))
      .orderBy(id, 'desc')
      .execute();
    return rows
      .filter((row) => namesAddress(row.text, addresses))
      .slice(0, MAX_FOUND)
      .map((row) => ({
        kind,
        id: encodeId(kind, row.id),
        title: row.title.replace(/[{}[\]"]/g, '').slice(0, MAX_TITLE_LENGTH),
      }));
  };
}
