// Looks up charges without a known result, on a schedule and after a webhook. Handles disputes and
// refunds that the gateway reports.
import { decodePublicId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import { log } from '#platform/server/log.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { ORDER_HOURS } from '../shared.ts';
import { freezeCredit, releaseFrozenCredit } from './disputes.ts';
import type { FoundCharge, Gateway, GatewayEvent } from './gateway-provider.ts';
import * as store from './orders.sql.ts';
import { carryOutRefunds, recordGatewayRefund } from './refunds.ts';
import { billingSettings, isOn } from './settings.ts';
import { settleCharge } from './settle.ts';

const ACCOUNTS_PER_POLL = 100;

export const chargesPoller: Poller = {
  name: 'charges',
  intervalMs: 5_000,
  run: (db) => pollDueCharges(db),
};

/** Looks up due charges without a result, and then carries out requested refunds. */
export async function pollDueCharges(db: Db): Promise<void> {
  const { gateway } = billingSettings();
  if (!isOn() || !gateway) return;
  for (const accountId of await store.listAccountsWithDueCharges(
    db,
    clock.now(),
    ACCOUNTS_PER_POLL,
  )) {
    for (const charge of await store.listDueCharges(db, accountId, clock.now())) {
      await pollCharge(db, gateway, charge).catch((error: unknown) =>
        log.error('Could not check a pending charge', { key: charge.key, error }),
      );
    }
  }
  await carryOutRefunds(db);
}

async function pollCharge(db: Db, gateway: Gateway, charge: store.ChargeRow): Promise<void> {
  const { key, gateway_id: gatewayId } = charge;
  const query = { key, order: key.slice(0, key.lastIndexOf('-')), gatewayId };
  const isOver =
    charge.state === 'action_needed' &&
    clock.now().getTime() - charge.created_at.getTime() > ORDER_HOURS * 3_600_000;
  const foundCharge: FoundCharge =
    isOver && gatewayId !== null
      ? await gateway.cancel({ key, gatewayId }).catch(unknownCharge)
      : await gateway.find(query).catch(unknownCharge);
  const outcome =
    isOver && foundCharge.status === 'none'
      ? { status: 'declined' as const, code: 'given_up', mayRetry: true }
      : foundCharge;
  await inTransaction(db, (tx) => settleCharge(tx, charge.account_id, key, outcome));
}

const unknownCharge = (): FoundCharge => ({ status: 'cannot_tell' });

/** Looks up the open charge of an order now, after the payer returned from the bank. */
export async function pollOrderCharge(db: Db, accountId: number, orderId: number): Promise<void> {
  const { gateway } = billingSettings();
  const charge = await store.findOpenCharge(db, accountId, orderId);
  if (gateway && charge && charge.state !== 'succeeded') await pollCharge(db, gateway, charge);
}

/**
 * Handles events of a gateway; repeats have no effect. An event about a charge only triggers a
 * lookup, whereas disputes and refunds are recorded as reported.
 */
export async function handleEvents(
  db: Db,
  gateway: Gateway,
  events: readonly GatewayEvent[],
): Promise<void> {
  for (const event of events) {
    const order = decodePublicId(
      'order',
      event.chargeKey.slice(0, event.chargeKey.lastIndexOf('-')),
    );
    if (!order) continue;
    const charge = await store.findCharge(db, order.accountId, event.chargeKey);
    if (!charge) continue;
    if (event.kind === 'dispute') await freezeCredit(db, charge, event);
    else if (event.kind === 'dispute_won') await releaseFrozenCredit(db, charge, event);
    else if (event.kind === 'refund') await recordGatewayRefund(db, charge, event.amount);
    else if (charge.state !== 'succeeded') await pollCharge(db, gateway, charge);
    // Recorded last so that after a crash the gateway's retry repeats the work.
    await store.recordEvent(db, gateway.name, event.key, clock.now());
  }
}
