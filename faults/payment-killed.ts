// 30: kill -9 of the web process at each step of paying. Each order ends paid, by one charge and
// with one invoice, no matter what the payer does concurrently.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fastify from 'fastify';
import { sql } from 'kysely';
import { openLedger, testGatewayPlugin } from '#providers/test-gateway/index.ts';
import type { GatewayLedger } from '#providers/test-gateway/ledger.ts';
import { startTroubledProxy, type TroubledProxy } from '#testing/gateways/proxy.ts';
import { startRole } from './kit/roles.ts';
import { type FaultTest, type Scene, withScene, stop, waitUntil } from './kit.ts';

const STEPS = [
  'before the call',
  'during the call',
  'after the answer',
  'before the commit',
  'after the commit',
] as const;
const PORT = 41_731;
const BASE = `http://127.0.0.1:${PORT}`;
const ORDERS = `${BASE}/client-api/api/orders`;
const CREDIT = 15;

type Payer = { step: (typeof STEPS)[number]; cookie: string; id: string; total: number };

export const fault: FaultTest = {
  number: 30,
  title: 'kill -9 of the web process at each step of paying',
  run: (print) =>
    withScene(async (scene) => {
      const gateway = await startGateway(scene);
      const env = {
        PORT: String(PORT),
        SIGN_UP: 'open',
        BILLING: 'test',
        TEST_GATEWAY_URL: gateway.proxy.base,
      };
      const payers: Payer[] = [];
      for (const step of STEPS) payers.push(await payUntilKilled(scene, gateway, env, step));
      print('killed at each step; the web role starts again');
      const web = await startRole(scene, 'web', env);
      const worker = await startRole(scene, 'worker', env);
      try {
        return await outcomeOf(scene, gateway, payers);
      } finally {
        await stop(worker);
        await stop(web);
        await gateway.close();
      }
    }),
};

async function outcomeOf({ db }: Scene, gateway: RunningGateway, payers: Payer[]) {
  const problems: string[] = [];
  const startedAt = performance.now();
  const isOpen = async (payer: Payer) => (await stateOf(payer)) === 'paying';
  // Each payer retries with another card.
  const retryResults = await Promise.all(payers.map((payer) => pay(payer, gateway.card())));
  const hasOpenPayments = async () => (await Promise.all(payers.map(isOpen))).some(Boolean);
  if (!(await waitUntil(async () => !(await hasOpenPayments()), 1_500)))
    problems.push('An order is still open');
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  const failedPayers: Payer[] = [];
  for (const payer of payers) if ((await stateOf(payer)) === 'failed') failedPayers.push(payer);
  for (const payer of failedPayers) await pay(payer, gateway.card());
  for (const payer of payers) {
    const state = await stateOf(payer);
    if (state !== 'paid') problems.push(`${payer.step}: ${state}`);
  }
  problems.push(...(await accountProblems(db)), ...chargeProblems(gateway.ledger, payers.length));
  const failedSteps = failedPayers.map((payer) => payer.step).join(', ') || 'none';
  return {
    problems,
    facts: `${payers.length} orders, ${gateway.ledger.list().length} charges; paid again immediately: ${retryResults.join(', ')}; settled after ${seconds} s, failed and paid again: ${failedSteps}`,
  };
}

/** Checks that each order has exactly one successful charge. */
function chargeProblems(ledger: GatewayLedger, orders: number): string[] {
  const paidCharges = ledger.list().filter((charge) => charge.state === 'succeeded');
  const paidOrders = new Set(paidCharges.map((charge) => charge.order));
  const problems: string[] = [];
  if (paidCharges.length !== orders)
    problems.push(`${paidCharges.length} charges for ${orders} orders`);
  if (paidOrders.size !== orders)
    problems.push(`${paidOrders.size} of ${orders} orders were charged`);
  return problems;
}

/** Checks that each account has its purchase exactly once. */
async function accountProblems(db: Scene['db']): Promise<string[]> {
  const { rows } = await sql<{ id: number; invoices: number; balance: number; open: number }>`
    select a.id,
      (select count(*)::int from invoices i where i.account_id = a.id) as invoices,
      (select coalesce(max(balance_micros), 0) from billing_accounts b where b.account_id = a.id) as balance,
      (select count(*)::int from charges c where c.account_id = a.id
        and c.state in ('pending', 'unknown', 'action_needed')) as open
    from accounts a where exists (select 1 from plan_orders o where o.account_id = a.id)`.execute(
    db,
  );
  return rows
    .filter((row) => row.invoices !== 1 || row.balance !== CREDIT * 1_000_000 || row.open !== 0)
    .map((row) => `Account ${row.id}: ${JSON.stringify(row)}`);
}

type RunningGateway = {
  ledger: GatewayLedger;
  proxy: TroubledProxy;
  card(): string;
  close(): Promise<void>;
};

/** Starts the test gateway in this process, which is not killed. */
async function startGateway({ folder }: Scene): Promise<RunningGateway> {
  const ledger = await openLedger(join(folder, 'gateway'));
  const app = fastify();
  await app.register(testGatewayPlugin({ ledger, hooks: `${BASE}/hooks/billing/none` }));
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const proxy = await startTroubledProxy(
    `http://127.0.0.1:${port}`,
    (method, path) => `${method} ${path}` === 'POST /gateway/api/charges',
  );
  return {
    ledger,
    proxy,
    card: () => ledger.tokenize('4111111111111111', 12, 2035) ?? '',
    async close() {
      await proxy.close();
      await app.close();
    },
  };
}

const AS_JSON = { 'x-sendloom': '1', 'content-type': 'application/json' };

async function payUntilKilled(
  scene: Scene,
  gateway: RunningGateway,
  env: NodeJS.ProcessEnv,
  step: Payer['step'],
): Promise<Payer> {
  const web = await startRole(scene, 'web', {
    ...env,
    KILL_PAYING: step,
    NODE_OPTIONS: `--import=${join(import.meta.dirname, 'kit/kill-paying.ts')}`,
  });
  const webExit = web.exitCode === null ? once(web, 'exit') : Promise.resolve();
  const payer = await createOrder(step);
  gateway.proxy.trouble = step === 'during the call' ? 'late' : undefined;
  const result = await pay(payer, gateway.card());
  if (result !== 'no answer') throw new Error(`${step}: ${result}`);
  await webExit;
  gateway.proxy.trouble = undefined;
  return payer;
}

/** Creates a new owner with an order of SMS credit. */
async function createOrder(step: Payer['step']): Promise<Payer> {
  const email = `${step.replaceAll(' ', '-')}@faults.example`;
  const signedUp = await fetch(`${BASE}/auth/api/sign-up`, {
    method: 'POST',
    headers: AS_JSON,
    body: JSON.stringify({ email, password: 'correct horse battery' }),
  });
  if (!signedUp.ok) throw new Error(await signedUp.text());
  const cookie = signedUp.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
  const response = await fetch(ORDERS, {
    method: 'POST',
    headers: { ...AS_JSON, cookie },
    body: JSON.stringify({ credit: CREDIT }),
  });
  if (!response.ok) throw new Error(await response.text());
  const { id, total } = ((await response.json()) as { data: { id: string; total: number } }).data;
  return { step, cookie, id, total };
}

/** Returns the payment's result; `no answer` if the process has ended. */
async function pay({ id, total, cookie }: Payer, card: string): Promise<string> {
  const response = await fetch(`${ORDERS}/${id}/pay`, {
    method: 'POST',
    headers: { ...AS_JSON, cookie },
    body: JSON.stringify({ card, total }),
  }).catch(() => undefined);
  if (!response) return 'no answer';
  const body = (await response.json()) as { data?: { is: string }; code?: string };
  return body.data?.is ?? body.code ?? String(response.status);
}

async function stateOf(payer: Payer): Promise<string> {
  const { id, cookie } = payer;
  const response = await fetch(`${ORDERS}/${id}`, { headers: { cookie } });
  if (response.status === 429) {
    await sleep(Number(response.headers.get('retry-after') ?? 1) * 1_000);
    return stateOf(payer);
  }
  if (!response.ok) throw new Error(await response.text());
  return ((await response.json()) as { data: { state: string } }).data.state;
}
