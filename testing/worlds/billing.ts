// A product with billing and the built-in test gateway on a real socket. After each test, payments
// must equal the invoices, and no credit may be negative.
import { writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, expect } from 'vitest';
import { billingEmailNeeded, usageQuestion } from '#areas/billing/server/events.ts';
import { listInconsistentTotals } from '#areas/billing/server/orders.sql.ts';
import { clock } from '#platform/server/clock.ts';
import { type TestClient, type TestOwner, type TestServer, testServer } from '../setup/server.ts';
import { startTestGateway } from '../servers/test-gateway.ts';

export const DAY = 86_400_000;
export const ORDERS = '/client-api/api/orders';

const CATALOG = {
  limits: 'enforced',
  seller: { name: 'Loom Ltd', address: ['1 Street'], country: 'LT', invoice_prefix: 'L-' },
  free: { subscribers: 100, emails: 1000 },
  plans: ['small', 'large'].map((key, i) => ({
    key,
    title: key,
    emails_per_subscriber: 12,
    features: i === 1 ? ['sms_credit'] : [],
    sizes: [500, 1000].map((subscribers) => ({
      subscribers,
      monthly: { usd: (subscribers / 100) * (i + 1), eur: (subscribers / 100) * (i + 1) },
      annual: { usd: (subscribers / 10) * (i + 1), eur: (subscribers / 10) * (i + 1) },
    })),
  })),
  coupons: [
    { code: 'TWENTY', percent: 20 },
    { code: 'ALL', percent: 100 },
    { code: 'ONCE', percent: 10, most_uses: 1 },
    { code: 'OVER', percent: 10, until: '2026-01-01' },
    { code: 'LATER', percent: 10, from: '2099-01-01' },
    { code: 'LARGE', percent: 10, plans: ['large'] },
  ],
  taxes: [{ country: 'LT', name: 'PVM', percent: 21 }],
};

async function startProduct() {
  const file = path.join(os.tmpdir(), `sendloom-test-${process.pid}-plans.json`);
  writeFileSync(file, JSON.stringify(CATALOG));
  const gateway = await startTestGateway();
  const server = await testServer({
    BILLING: 'test',
    BILLING_FILE: file,
    TEST_GATEWAY_URL: gateway.base,
  });
  return { gateway, server };
}

export async function setUpBilling() {
  const { gateway, server } = await startProduct();
  const usageByAccount = new Map<number, number>();
  usageQuestion.handle(async (_, { accountId }) => [
    { kind: 'subscribers', count: usageByAccount.get(accountId) ?? 0 },
  ]);
  /** Fails the preceding test if payments and invoices differ. */
  const requireConsistentSums = async (): Promise<void> => {
    const inconsistencies = await listInconsistentTotals(server.db);
    if (inconsistencies.length > 0)
      throw new Error(`Inconsistent sums: ${JSON.stringify(inconsistencies)}`);
  };
  afterEach(async () => {
    clock.reset();
    await requireConsistentSums();
  });
  const order = async (owner: TestClient, body: object = {}) => {
    const createdOrder = await owner.post(ORDERS, {
      plan_id: 'small',
      size: 500,
      duration: 1,
      ...body,
    });
    expect(createdOrder.status, createdOrder.text).toBe(200);
    return createdOrder.body.data;
  };
  const pay = (owner: TestClient, orderToPay: { id: string; total: number }, number?: string) =>
    owner.post(`${ORDERS}/${orderToPay.id}/pay`, {
      card: gateway.card(number),
      total: orderToPay.total,
    });
  const buy = async (owner: TestClient, body: object = {}, number?: string) => {
    const createdOrder = await order(owner, body);
    const payment = await pay(owner, createdOrder, number);
    expect(payment.status, payment.text).toBe(200);
    expect(payment.body.data.is).toBe('paid');
    return payment.body.data.order;
  };
  const createLastingOwner = lastingOwners(server);
  return {
    server,
    gateway,
    usageByAccount,
    order,
    pay,
    buy,
    createLastingOwner,
    requireConsistentSums,
    ...collectEmails(),
  };
}

/** Creates owners who are signed in again after the clock has passed the end of their session. */
function lastingOwners(server: TestServer) {
  let ownerCount = 0;
  return async () => {
    ownerCount += 1;
    const email = `lasting${ownerCount}@billing.example`;
    const owner = await server.owner(email);
    const advanceClock = (ms: number) => {
      clock.advance(ms);
      return owner.post('/auth/api/sign-in', { email, password: 'correct horse battery' });
    };
    return Object.assign(owner, { advanceClock });
  };
}

/**
 * Records billing's emails. `emailsOf` counts an owner's emails of a kind, and `tokenOf` returns
 * the token in the last of them.
 */
function collectEmails() {
  const emails: { kind: string; accountId: number; token: string | undefined }[] = [];
  billingEmailNeeded.on(async (_, { kind, accountId, values }) => {
    emails.push({ kind, accountId, token: values.token });
  });
  const isOf = (owner: TestOwner, kind: string) => (email: (typeof emails)[number]) =>
    email.accountId === owner.accountId && email.kind === kind;
  return {
    emailsOf: (owner: TestOwner, kind: string) => emails.filter(isOf(owner, kind)).length,
    tokenOf: (owner: TestOwner, kind: string) => emails.findLast(isOf(owner, kind))?.token,
  };
}
