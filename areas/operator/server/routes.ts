// The operator's calls. For others they do not exist.
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
import { type Caller, type Route, serve } from '#platform/server/http/serve.ts';
import { retryGivenUp } from '#platform/server/jobs/jobs.sql.ts';
import { log } from '#platform/server/log.ts';
import { calls } from '../contract.ts';
import { listAccounts, readAccount } from './accounts.ts';
import { readHealth } from './health.ts';
import { listSenders } from './senders.ts';

export const operatorRoutes: Route[] = serve('operator', calls, {
  readHealth: async ({ db, who }) => {
    await requireOperator(db, who);
    return readHealth(db);
  },
  retryJobs: async ({ db, who, body }) => {
    const count = await act(db, who, (tx) => retryGivenUp(tx, body.job, clock.now()));
    log.info('Retrying given-up jobs', { job: body.job, count, by: who.userId });
    return { count };
  },
  // Outside of a transaction, so that a failing node does not prevent queries to the others.
  listAccounts: async ({ db, who, query }) => {
    await requireOperator(db, who);
    return listAccounts(db, query.list);
  },
  readAccount: async ({ tx, who, params }) => {
    await requireOperator(tx, who);
    return readAccount(tx, params.id);
  },
  suspendAccount: async ({ db, who, params, body }) => {
    await act(db, who, async (tx) => {
      await requireAccount(tx, params.id);
      if (params.id === who.accountId) throw new AppError('own_account');
      await suspendAccount(tx, params.id, body.reason);
    });
    log.info('Account suspended', { account: params.id, by: who.userId });
  },
  restoreAccount: async ({ db, who, params }) => {
    await act(db, who, async (tx) => {
      await requireAccount(tx, params.id);
      await restoreAccount(tx, params.id);
    });
    log.info('Account suspension ended', { account: params.id, by: who.userId });
  },
  listSenders: async ({ tx, who }) => {
    await requireOperator(tx, who);
    return listSenders(tx);
  },
  assignSender: async ({ db, who, params }) => {
    await act(db, who, (tx) => assignPhone(tx, params.id, params.phone));
    log.info('An SMS sender was approved', { account: params.id, by: who.userId });
  },
  refuseSender: async ({ db, who, params }) => {
    await act(db, who, (tx) => refusePhone(tx, params.id, params.phone));
    log.info('An SMS sender was declined', { account: params.id, by: who.userId });
  },
  refundPayment: async ({ db, who, params }) => {
    await act(db, who, (tx) => refundOrder(tx, params.id, params.payment));
    log.info('Refunding a payment', { account: params.id, by: who.userId });
  },
});

/** Milliseconds per statement. */
const STATEMENT_MS = 20_000;

/** In one transaction, which does not touch the operator's account. */
function act<T>(db: Db, who: Caller, run: (tx: Tx) => Promise<T>): Promise<T> {
  return inTransaction(
    db,
    async (tx) => {
      await requireOperator(tx, who);
      return run(tx);
    },
    { statementMs: STATEMENT_MS, repeatsDuplicates: true },
  );
}

/** @throws `not_found` for users who are no operators */
async function requireOperator(db: Reader, who: Caller): Promise<void> {
  const user = await readMember(db, who.accountId, who.userId);
  if (!user || !isOperator(user)) throw notFound();
}
