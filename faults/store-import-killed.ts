// 29: kill -9 in a store's first import, repeatedly: the import resumes, and each order is stored
// once.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startWooShop } from '#testing/servers/woocommerce-shop.ts';
import { type FaultTest, kill, type Scene, SECRET, withScene, waitUntil } from './kit.ts';
import { type FaultStore, countOrderRows, newStore, createWooOrder } from './kit/stores.ts';

const ORDERS = Number(process.env.STORE_ORDERS ?? 100_000);
const KILLS = Number(process.env.STORE_KILLS ?? 6);
const PULL = join(import.meta.dirname, 'kit/store-import.ts');

export const fault: FaultTest = {
  number: 29,
  title: `kill -9 in a first import of ${ORDERS} orders, ${KILLS} times`,
  run: (print) =>
    withScene(async (scene) => {
      const shop = await startWooShop(async () => ({ status: 200 }));
      try {
        shop.orders = Array.from({ length: ORDERS }, (_, i) => createWooOrder(i + 1));
        const store = await newStore(scene, shop, 'a secret of the hooks');
        const problems: string[] = [];
        const count = async () => (await countOrderRows(scene, store)).orders ?? 0;
        for (let kills = 0; kills < KILLS; kills++) {
          const countBefore = await count();
          const pull = startPull(scene, store);
          if (
            !(await waitUntil(
              async () => (await count()) > countBefore + ORDERS / (KILLS * 2),
              240,
            ))
          )
            problems.push(`After kill ${kills} the import did not resume`);
          await sleep(Math.random() * 300);
          await kill(pull);
          print(`${kills + 1} kills, ${await count()} orders`);
        }
        const startedAt = performance.now();
        const lastPull = startPull(scene, store);
        await once(lastPull, 'exit');
        const actualCounts = await countOrderRows(scene, store);
        const expectedCounts: Record<string, number> = {
          ...{ orders: ORDERS, numbers: ORDERS, names: 2 * ORDERS, lines: 2 * ORDERS },
          ...{ people: Math.min(ORDERS, 20_000), counted: Math.min(ORDERS, 20_000) },
          ...{ summed: ORDERS, earned: ORDERS * 25.5 },
        };
        for (const [name, value] of Object.entries(expectedCounts))
          if (actualCounts[name] !== value)
            problems.push(`${name}: ${actualCounts[name]} instead of ${value}`);
        const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
        return {
          problems,
          facts: `${ORDERS} orders, each once; the last run took ${seconds} s`,
        };
      } finally {
        await shop.close();
      }
    }),
};

function startPull(scene: Scene, { accountId, storeId }: FaultStore) {
  const { url } = scene.running.server;
  return spawn(process.execPath, [PULL, String(accountId), String(storeId)], {
    env: { ...process.env, NODE_ENV: 'test', DATABASE_URL: url, SECRET, LOG_LEVEL: 'error' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}
