// 17: store webhooks at 1,000 a second, and kill -9 of the web process: each webhook that was
// answered 200 is stored once.
import { createHmac } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { encodePublicId } from '#platform/ids.ts';
import { type FaultTest, withScene } from './kit.ts';
import { startSupervisedRole } from './kit/roles.ts';
import { newStore, createWooOrder } from './kit/stores.ts';

const HOOKS = Number(process.env.STORE_HOOKS ?? 10_000);
const PORT = 41_724;
const SECRET = 'a secret of the hooks';

export const fault: FaultTest = {
  number: 17,
  title: `${HOOKS} webhooks of a store at 1,000 a second, kill -9 of the web process`,
  run: (print) =>
    withScene(async (scene) => {
      const role = await startSupervisedRole(scene, 'web', { PORT: String(PORT) });
      const agent = new Agent({ keepAlive: true, maxSockets: 200 });
      try {
        const keys = { address: 'https://tea.example', key: 'ck', secret: 'cs' };
        const { accountId, storeId } = await newStore(scene, keys, SECRET);
        const path = `/hooks/stores/${encodePublicId('store', accountId, storeId)}`;
        for (let i = 0; i < 500; i++) await post(agent, path, 1_000_000 + i);
        const answeredIds = new Set<number>();
        const waits: number[] = [];
        const startedAt = performance.now();
        const half = Math.floor(HOOKS / 2);
        await Promise.all(
          Array.from({ length: HOOKS }, async (_, i) => {
            await sleep(Math.max(0, startedAt + i - performance.now()));
            if (i === half) process.kill(role.pid(), 'SIGKILL');
            const sentAt = performance.now();
            const status = await post(agent, path, i + 1);
            if (status !== 200) return;
            answeredIds.add(i + 1);
            if (i < half) waits.push(performance.now() - sentAt);
          }),
        );
        const { rows } = await sql<{ id: number }>`
          select (body->>'id')::int as id from store_inbox
          where account_id = ${accountId} and (body->>'id')::int <= ${HOOKS}`.execute(scene.db);
        const storedIds = new Set(rows.map(({ id }) => id));
        const lostIds = [...answeredIds].filter((id) => !storedIds.has(id));
        const problems =
          lostIds.length > 0 ? [`${lostIds.length} were answered 200 and are not stored`] : [];
        if (storedIds.size !== rows.length) problems.push('Some are stored twice');
        waits.sort((a, b) => a - b);
        const percentileOf = (fraction: number) =>
          waits[Math.floor(waits.length * fraction)]?.toFixed(1);
        print(`${role.ends()} ends of the web process`);
        return {
          problems,
          facts: `${answeredIds.size} of ${HOOKS} answered, ${storedIds.size} stored, none lost; until the kill p50 ${percentileOf(0.5)}, p95 ${percentileOf(0.95)} ms`,
        };
      } finally {
        agent.destroy();
        role.release();
      }
    }),
};

function post(agent: Agent, path: string, id: number): Promise<number> {
  const body = JSON.stringify(createWooOrder(id));
  const signature = createHmac('sha256', SECRET).update(body).digest('base64');
  return new Promise((resolve) => {
    const call = request(
      {
        ...{ host: '127.0.0.1', port: PORT, path, method: 'POST', agent },
        headers: {
          'content-type': 'application/json',
          'x-wc-webhook-topic': 'order.created',
          'x-wc-webhook-signature': signature,
          'x-wc-webhook-delivery-id': String(id),
        },
      },
      (answer) => {
        answer.resume();
        answer.once('end', () => resolve(answer.statusCode ?? 0));
        answer.once('error', () => resolve(0));
      },
    );
    call.once('error', () => resolve(0));
    call.end(body);
  });
}
