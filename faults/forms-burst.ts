// 21: 10,000 concurrent sign-ups over 500 connections, and PostgreSQL killed in the middle: each
// accepted sign-up is stored once; the others fail and succeed when retried.
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { startEmbeddedPostgres } from '#platform/server/database/embedded-postgres.ts';
import { type FaultTest, readPostmasterPid, withScene, waitUntil } from './kit.ts';
import { startSupervisedRole } from './kit/roles.ts';
import { newForm } from './kit/forms.ts';

const POSTS = 10_000;
const PORT = 41_721;

export const fault: FaultTest = {
  number: 21,
  title: `${POSTS} sign-ups at once, PostgreSQL killed in the middle`,
  run: (print) =>
    withScene(async (scene) => {
      const role = await startSupervisedRole(scene, 'web', {
        PORT: String(PORT),
        TRUST_PROXY: '1',
        SIGN_UP: 'open',
      });
      const problems: string[] = [];
      try {
        const form = await newForm(`http://127.0.0.1:${PORT}`, { use_recaptcha: false });
        const acceptedIds = new Set<number>();
        /** Response times of accepted sign-ups; the percentiles are taken before the retries. */
        const waits: number[] = [];
        const agent = new Agent({ keepAlive: true, maxSockets: 500 });
        const send = () =>
          Promise.all(
            Array.from({ length: POSTS }, async (_, i) => {
              if (acceptedIds.has(i)) return;
              const startedAt = performance.now();
              const status = await post(agent, form.hash, i);
              if (status !== 200) return;
              acceptedIds.add(i);
              waits.push(performance.now() - startedAt);
            }),
          );
        const firstBurst = send();
        await waitUntil(() => acceptedIds.size > POSTS / 5, 60);
        process.kill(readPostmasterPid(scene), 'SIGKILL');
        print(`PostgreSQL was killed with ${acceptedIds.size} answered`);
        await sleep(500);
        scene.running.server = await startEmbeddedPostgres({ folder: scene.folder });
        await firstBurst;
        const answeredCount = acceptedIds.size;
        const waitPercentiles = percentiles(waits.toSorted((a, b) => a - b));
        print(`${answeredCount} of ${POSTS} were answered at the first attempt`);
        // Like the embed script, retries each sign-up with the same key until it is accepted.
        for (let attempt = 0; acceptedIds.size < POSTS && attempt < 20; attempt++) {
          await sleep(1_000);
          await send();
        }
        agent.destroy();
        const { rows } = await sql<{ rows: number; keys: number }>`
          select count(*)::int as rows, count(distinct key)::int as keys
          from form_submissions`.execute(scene.db);
        const storedCounts = rows[0] ?? { rows: 0, keys: 0 };
        if (acceptedIds.size !== POSTS)
          problems.push(`${acceptedIds.size} of ${POSTS} were accepted`);
        if (storedCounts.rows !== acceptedIds.size || storedCounts.keys !== storedCounts.rows)
          problems.push(
            `${acceptedIds.size} accepted, but ${storedCounts.rows} rows with ${storedCounts.keys} distinct keys stored`,
          );
        return {
          problems,
          facts: `${answeredCount} at the first attempt (p50 ${waitPercentiles(0.5)}, p95 ${waitPercentiles(0.95)}, p99 ${waitPercentiles(0.99)} s after the request), ${storedCounts.rows} stored, each once`,
        };
      } finally {
        role.release();
      }
    }),
};

const percentiles = (sortedValues: readonly number[]) => (fraction: number) =>
  ((sortedValues[Math.floor(sortedValues.length * fraction)] ?? 0) / 1000).toFixed(2);

function post(agent: Agent, hash: string, i: number): Promise<number> {
  const body = JSON.stringify({
    key: `burst-${i}-key`,
    version: 1,
    data: { email: `burst${i}@visitor.example` },
    ms: 5_000,
    url: 'https://shop.example/',
  });
  return new Promise((settle) => {
    const clientRequest = request(
      {
        agent,
        hostname: '127.0.0.1',
        port: PORT,
        path: `/f/${hash}`,
        method: 'POST',
        headers: {
          'content-type': 'text/plain',
          'content-length': Buffer.byteLength(body),
          'x-forwarded-for': `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`,
        },
        timeout: 60_000,
      },
      (answer) => {
        answer.resume();
        answer.on('end', () => settle(answer.statusCode ?? 0));
        answer.on('error', () => settle(0));
      },
    );
    clientRequest.on('error', () => settle(0));
    clientRequest.on('timeout', () => clientRequest.destroy());
    clientRequest.end(body);
  });
}
