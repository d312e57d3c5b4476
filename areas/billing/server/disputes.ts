// Chargebacks: the disputed part of purchased SMS credit is frozen and the account is notified. If
// the bank decides for the seller, the credit is released.
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import { log } from '#platform/server/log.ts';
import * as billing from './billing.sql.ts';
import { billingEmailNeeded } from './events.ts';
import type { GatewayEvent } from './gateway-provider.ts';
import * as store from './orders.sql.ts';

type Dispute = Pick<GatewayEvent, 'disputeId' | 'amount'>;

/** A charge may have several disputes over different parts. */
const sourceOf = ({ key }: store.ChargeRow, { disputeId }: Dispute): string =>
  ['dispute', key, disputeId].filter(Boolean).join(' ');

const endOf = (source: string): string => `won ${source}`;

export async function freezeCredit(
  db: Db,
  charge: store.ChargeRow,
  dispute: Dispute = {},
): Promise<void> {
  log.warn('A payment is disputed', { account: charge.account_id, key: charge.key });
  await inTransaction(db, async (tx) => {
    const order = await store.lockOrder(tx, charge.account_id, charge.order_id);
    if (!order) return;
    const { account_id: accountId } = order;
    const source = sourceOf(charge, dispute);
    if (order.kind === 'sms_credit') {
      const { balance_micros, held_micros } = await billing.lockBilling(tx, accountId);
      // Webhooks arrive in any order, so a dispute that is already closed freezes nothing.
      const isOver = (await billing.findCredit(tx, accountId, endOf(source))) !== undefined;
      const fraction = Math.min((dispute.amount ?? charge.amount_minor) / charge.amount_minor, 1);
      const disputedMicros = Math.ceil((order.credit_micros ?? 0) * fraction);
      const micros = Math.min(disputedMicros, balance_micros - held_micros);
      if (micros > 0 && !isOver)
        await billing.addCredit(tx, {
          ...{ accountId, kind: 'frozen', micros: -micros, source, at: clock.now() },
        });
    }
    await billingEmailNeeded.announce(tx, {
      accountId,
      kind: 'disputed',
      occasion: source,
      values: { token: '' },
    });
  });
}

/**
 * Releases credit frozen by the dispute; the release is recorded once, no matter how many events
 * report the end of the dispute.
 */
export async function releaseFrozenCredit(
  db: Db,
  charge: store.ChargeRow,
  dispute: Dispute,
): Promise<void> {
  const { account_id: accountId } = charge;
  await inTransaction(db, async (tx) => {
    const order = await store.lockOrder(tx, accountId, charge.order_id);
    if (order?.kind !== 'sms_credit') return;
    await billing.lockBilling(tx, accountId);
    const source = sourceOf(charge, dispute);
    // Freezes recorded before dispute ids existed are keyed by the charge.
    const frozen =
      (await billing.findCredit(tx, accountId, source)) ??
      (await billing.findCredit(tx, accountId, sourceOf(charge, {})));
    await billing.addCredit(tx, {
      ...{ accountId, kind: 'frozen', micros: -(frozen ?? 0), source: endOf(source) },
      at: clock.now(),
    });
  });
}
