// Routes for the operator's page. Other users get a 404.
import {
  isOperator,
  readMember,
  readAccount as requireAccount,
} from '#areas/accounts/server/index.ts';
import { refundOrder, restoreAccount, suspendAccount } from '#areas/billing/server/index.ts';
import { assignPhone, refusePhone } from '#areas/sms/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import {
  type Db,
  inTransaction,
  type Reader,
  type Tx,
} from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import { type Caller, type Route, createRoutes } from '#platform/server/http/serve.ts';
import { retryAbandonedJobs } from '#platform/server/jobs/jobs.sql.ts';
import { log } from '#platform/server/log.ts';
import { calls } from '../contract.ts';
import { listAccounts, readAccount } from './accounts.ts';
import { readHealth } from './health.ts';
import { listSenders } from './senders.ts';

export const operatorRoutes: Route[] = createRoutes('operator', calls, {
  readHealth: async ({ db, caller }) => {
    await requireOperator(db, caller);
    return readHealth(db);
  },
  retryJobs: async ({ db, caller, body }) => {
    const count = await runAsOperator(db, caller, (tx) =>
      retryAbandonedJobs(tx, body.job, clock.now()),
    );
    log.info('Retrying abandoned jobs', { job: body.job, count, by: caller.userId });
    return { count };
  },
  // Runs outside a transaction so that a failing node does not prevent queries to other nodes.
  listAccounts: async ({ db, caller, query }) => {
    await requireOperator(db, caller);
    return listAccounts(db, query.list);
  },
  readAccount: async ({ tx, caller, params }) => {
    await requireOperator(tx, caller);
    return readAccount(tx, params.id);
  },
  suspendAccount: async ({ db, caller, params, body }) => {
    await runAsOperator(db, caller, async (tx) => {
      await requireAccount(tx, params.id);
      if (params.id === caller.accountId) throw new AppError('own_account');
      await suspendAccount(tx, params.id, body.reason);
    });
    log.info('Account suspended', { account: params.id, by: caller.userId });
  },
  restoreAccount: async ({ db, caller, params }) => {
    await runAsOperator(db, caller, async (tx) => {
      await requireAccount(tx, params.id);
      await restoreAccount(tx, params.id);
    });
    log.info('Account suspension ended', { account: params.id, by: caller.userId });
  },
  listSenders: async ({ tx, caller }) => {
    await requireOperator(tx, caller);
    return listSenders(tx);
  },
  assignSender: async ({ db, caller, params }) => {
    await runAsOperator(db, caller, (tx) => assignPhone(tx, params.id, params.phone));
    log.info('SMS sender approved', { account: params.id, by: caller.userId });
  },
  refuseSender: async ({ db, caller, params }) => {
    await runAsOperator(db, caller, (tx) => refusePhone(tx, params.id, params.phone));
    log.info('SMS sender declined', { account: params.id, by: caller.userId });
  },
  refundPayment: async ({ db, caller, params }) => {
    await runAsOperator(db, caller, (tx) => refundOrder(tx, params.id, params.payment));
    log.info('Payment refund requested', { account: params.id, by: caller.userId });
  },
});

/** Timeout of a statement, in milliseconds. */
const STATEMENT_MS = 20_000;

/**
 * Runs an action in one transaction that does not use the operator's account, whose node may be
 * down.
 */
function runAsOperator<T>(db: Db, caller: Caller, run: (tx: Tx) => Promise<T>): Promise<T> {
  return inTransaction(
    db,
    async (tx) => {
      await requireOperator(tx, caller);
      return run(tx);
    },
    { statementMs: STATEMENT_MS, retriesOnDuplicate: true },
  );
}

/** @throws `not_found` for users who are not operators */
async function requireOperator(db: Reader, caller: Caller): Promise<void> {
  const user = await readMember(db, caller.accountId, caller.userId);
  if (!user || !isOperator(user)) throw notFound();
}
