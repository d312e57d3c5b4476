// Lists all accounts for the operator, and gets one of them.
import {
  countAccounts,
  listAccounts as listAll,
  type ListedAccount,
  findOwner,
  readAccount as readAccountRow,
} from '#areas/accounts/server/index.ts';
import { listPaidOrders, type AccountPlan, readAccountPlans } from '#areas/billing/server/index.ts';
import { readSentSince } from '#areas/delivery/server/ledger/index.ts';
import type { ListRequest } from '#platform/contract.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import type { OperatorAccount, Payment } from '../contract.ts';

const MONTH_MS = 30 * 86_400_000;

export async function listAccounts(
  db: Reader,
  list: ListRequest<'created' | 'title' | 'subscribers'>,
) {
  return buildListResponse(
    list,
    {
      rows: async (slice) => presentAll(db, await listAll(db, list, slice)),
      total: () => countAccounts(db, list.search),
    },
    (row) => row,
  );
}

/** @throws `not_found` */
export async function readAccount(
  db: Reader,
  accountId: number,
): Promise<OperatorAccount & { payments: Payment[] }> {
  const account = await readAccountRow(db, accountId);
  const email = (await findOwner(db, accountId))?.email ?? null;
  const [row] = await presentAll(db, [{ ...account, email }]);
  const payments = (await listPaidOrders(db, accountId)).map(({ id, paidAt, ...order }) => ({
    ...order,
    id: encodeId('order', id),
    paid: paidAt?.toISOString() ?? null,
  }));
  return { ...(row as OperatorAccount), payments };
}

async function presentAll(
  db: Reader,
  accounts: readonly ListedAccount[],
): Promise<OperatorAccount[]> {
  const ids = accounts.map((account) => account.id);
  const plans = await readAccountPlans(db, ids);
  const sentByAccount = await readSentSince(db, ids, new Date(clock.now().getTime() - MONTH_MS));
  return accounts.map((account) => {
    const plan = plans.get(account.id) as AccountPlan;
    return {
      id: encodeId('account', account.id),
      title: account.title,
      email: account.email,
      plan: plan.plan,
      plan_state: plan.state,
      size: plan.size,
      valid_to: plan.validTo?.toISOString() ?? null,
      subscribers: account.subscriber_count,
      emails: sentByAccount.get(account.id) ?? 0,
      created: account.created_at.toISOString(),
      suspended: plan.suspendedAt?.toISOString() ?? null,
      suspended_reason: plan.suspendedReason,
    };
  });
}
