// Queries for accounts' own SMS providers.
import { type Insertable, type Selectable, sql } from 'kysely';
import { outletTable } from '#areas/delivery/server/sender/index.ts';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import { createTextFinder, createTextRewriter } from '#platform/server/erasure/texts.sql.ts';

/** Finds the addresses of erased subscribers in user names and profiles of SMS providers. */
export const findProvidersNaming = createTextFinder('sms_providers', {
  kind: 'text_provider',
  columns: ['username', 'profile'],
  title: 'title',
});

/** Removes the addresses of erased subscribers from titles of SMS providers. */
export const rewriteProviders = createTextRewriter('sms_providers');

export type ProviderRow = Selectable<DB['sms_providers']>;
export type NewProvider = Insertable<DB['sms_providers']>;

/** SQL: rows (account_id) of the accounts with an enabled provider. */
export const accountsWithProviders = sql`select account_id from sms_providers where is_on`;

export const {
  find: findProvider,
  updateReturning: updateProvider,
  delete: deleteProvider,
} = accountTable('sms_providers', 'id');

export const {
  list: listProviders,
  insert: insertProvider,
  saveHealth: saveProviderHealth,
} = outletTable('sms_providers');
