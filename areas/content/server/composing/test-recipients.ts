// Recipients of earlier test messages, offered to all users of the account.
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { MAX_TEST_RECIPIENTS } from '../../shared.ts';
import * as store from './test-recipients.sql.ts';

export { findTestRecipients } from './test-recipients.sql.ts';

export const rememberTestRecipients = (
  tx: Tx,
  accountId: number,
  channel: store.TestChannel,
  contacts: readonly string[],
): Promise<void> =>
  store.upsertTestRecipients(
    tx,
    accountId,
    { channel, contacts, limit: MAX_TEST_RECIPIENTS },
    clock.now(),
  );

export const removeTestRecipient = (
  tx: Tx,
  accountId: number,
  { channel, contact }: { channel: store.TestChannel; contact: string },
): Promise<void> => store.deleteTestRecipients(tx, accountId, [contact], channel);

/** Deletes the address of an erased subscriber from the suggestions. */
export const eraseTestRecipients = (
  tx: Tx,
  erasure: { accountId: number; addresses: string[] },
): Promise<void> => store.deleteTestRecipients(tx, erasure.accountId, erasure.addresses);
