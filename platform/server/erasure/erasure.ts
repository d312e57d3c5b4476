// Removes erased subscribers' addresses from text that users wrote. The event is declared here and
// not in the subscribers area, because areas in lower layers have such text as well. An area wires
// its own columns: `on(addressesErased, eraseFromTexts(rewriteGroups))`.
import type { Tx } from '../database/database.ts';
import { defineEvent, defineQuestion } from '../events.ts';
import { describeNaming, eraseAddressesIn } from './addresses.ts';
import type { RewriteTexts } from './texts.sql.ts';

/**
 * `addresses` are email addresses in lower case and numbers as E.164, never empty. They omit
 * addresses that other subscribers have now.
 */
type ErasedAddresses = { accountId: number; addresses: readonly string[] };

/** Subscribers were erased: handlers replace their addresses in text that only users read. */
export const addressesErased = defineEvent<ErasedAddresses>('addresses.erased');

/**
 * Objects with one of these addresses in content or a setting that an erasure must not change. The
 * response of the erasure lists them.
 */
export const contentsNamingAddresses = defineQuestion<
  ErasedAddresses,
  { kind: string; id: string; title: string }
>('addresses.contents_naming');

/** A handler of `addresses.erased` for the texts of these tables. */
export const eraseFromTexts =
  (...tables: readonly RewriteTexts[]) =>
  async (tx: Tx, { accountId, addresses }: ErasedAddresses): Promise<void> => {
    for (const rewrite of tables)
      await rewrite(tx, accountId, describeNaming(addresses), (text) =>
        eraseAddressesIn(text, addresses),
      );
  };
