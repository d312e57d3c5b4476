// A payer's bank takes a payment back: what it bought of SMS credit is frozen, and the operator is told.
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction } from '#platform/server/database.ts';
import { log } from '#platform/server/log.ts';
import * as billing from './billing.sql.ts';
import { billingLetterNeeded } from './events.ts';
import * as store from './orders.sql.ts';

export async function freezeCreditOf(db: Db, charge: store.ChargeRow): Promise<void> {
  log.warn('Payment disputed', { account: charge.account_id, key: charge.key });
  await inTransaction(db, async (tx) => {
    const order = await store.lockOrder(tx, charge.account_id, charge.order_id);
    if (!order) return;
    const at = clock.now();
    if (order.kind === 'sms_credit') {
      const { balance_micros, held_micros } = await billing.lockBilling(tx, order.account_id);
      const micros = Math.min(order.credit_micros ?? 0, balance_micros - held_micros);
      if (micros > 0) {
        await billing.addCredit(tx, {
          accountId: order.account_id,
          kind: 'frozen',
          micros: -micros,
          source: `dispute ${charge.key}`,
          at,
        });
      }
    }
    await billingLetterNeeded.announce(tx, {
      accountId: order.account_id,
      kind: 'disputed',
      occasion: `dispute ${charge.key}`,
      values: { token: '' },
    });
  });
}
