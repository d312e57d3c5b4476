// Stored payment methods: the details that are shown, and the gateway's token in encrypted form.
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import {
  type Db,
  inTransaction,
  type Reader,
  type Tx,
} from '#platform/server/database/database.ts';
import { notFound } from '#platform/server/errors.ts';
import { log } from '#platform/server/log.ts';
import { unseal } from '#platform/server/secrets.ts';
import type { PaymentMethod } from '../contract.ts';
import * as store from './billing.sql.ts';
import { METHOD_SECRET } from './pay.ts';
import { requireGateway } from './settings.ts';

export async function listMethods(db: Reader, accountId: number): Promise<PaymentMethod[]> {
  const now = clock.now();
  const month = now.getUTCFullYear() * 12 + now.getUTCMonth() + 1;
  return (await store.listMethods(db, accountId)).map((row) => ({
    id: encodeId('method', row.id),
    brand: row.brand,
    last4: row.last4,
    exp_month: row.exp_month,
    exp_year: row.exp_year,
    is_default: row.is_default,
    is_expired: row.exp_year * 12 + row.exp_month < month,
    created: row.created_at.toISOString(),
  }));
}

export async function chooseMethod(tx: Tx, accountId: number, id: number): Promise<void> {
  requireGateway();
  if (!(await store.setDefaultMethod(tx, accountId, id))) throw notFound();
  const subscription = await store.lockSubscription(tx, accountId);
  if (!subscription) return;
  await store.saveSubscription(tx, accountId, { method_id: id, modified_at: clock.now() });
}

/** Deletes the method here first so that it is not used even if the gateway fails. */
export async function removeMethod(db: Db, accountId: number, id: number): Promise<void> {
  const gateway = requireGateway();
  const row = await inTransaction(db, (tx) => store.removeMethod(tx, accountId, id, clock.now()));
  if (!row) throw notFound();
  await gateway
    .deleteMethod(unseal(METHOD_SECRET, row.sealed_token))
    .catch((error: unknown) =>
      log.warn('Payment gateway did not delete a card', { reason: (error as Error).message }),
    );
}
