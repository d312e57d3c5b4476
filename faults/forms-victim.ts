// 22: two web processes receive 1,000 sign-ups for one victim's address from many networks. Exactly
// one email is sent.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { type FaultTest, withScene, waitUntil } from './kit.ts';
import { newForm } from './kit/forms.ts';
import { startSupervisedRole } from './kit/roles.ts';

const POSTS = 1_000;
const PORT = 41_722;

export const fault: FaultTest = {
  number: 22,
  title: `${POSTS} sign-ups for one victim's address`,
  run: () =>
    withScene(async (scene) => {
      const env = { TRUST_PROXY: '1', SIGN_UP: 'open' };
      const roles = await Promise.all([
        startSupervisedRole(scene, 'web', { ...env, PORT: String(PORT) }),
        startSupervisedRole(scene, 'web', { ...env, PORT: String(PORT + 10) }),
        startSupervisedRole(scene, 'worker', env),
      ]);
      const problems: string[] = [];
      try {
        const form = await newForm(`http://127.0.0.1:${PORT}`, {
          use_recaptcha: false,
          double_opt_in: true,
          confirmation: { from_email: 'news@shop.example', from_name: 'Shop' },
        });
        let acceptedCount = 0;
        const statuses = new Map<string, number>();
        await Promise.all(
          Array.from({ length: POSTS }, async (_, i) => {
            const response = await fetch(`http://127.0.0.1:${PORT + (i % 2) * 10}/f/${form.hash}`, {
              method: 'POST',
              headers: {
                'content-type': 'text/plain',
                'x-forwarded-for': `10.0.${i >> 8}.${i & 255}`,
              },
              body: JSON.stringify({
                key: `victim-${i}-key`,
                version: 1,
                data: { email: 'victim@shop.example', firstname: 'Buy at evil.example' },
                ms: 5_000,
              }),
            });
            const text = `${response.status} ${await response.text()}`;
            statuses.set(text, (statuses.get(text) ?? 0) + 1);
            if (response.status === 200) acceptedCount++;
          }),
        );
        const countOpen = async () =>
          Number(
            (
              await sql<{ n: number }>`
                select count(*) as n from form_submissions where settled_at is null`.execute(
                scene.db,
              )
            ).rows[0]?.n,
          );
        await waitUntil(async () => (await countOpen()) === 0, 120);
        await sleep(500);
        const { rows } = await sql<{ n: number }>`select count(*) as n from single_sends
          where recipient = 'victim@shop.example'`.execute(scene.db);
        const emails = Number(rows[0]?.n);
        if (emails > 1) problems.push(`${emails} emails to one address`);
        if (emails === 0) problems.push('No email was sent');
        // The response must be the same for a known and an unknown address.
        const acceptedReplies = [...statuses.keys()].filter((text) => text.startsWith('200'));
        if (acceptedReplies.length > 1)
          problems.push(`Answers differ: ${acceptedReplies.join(' | ')}`);
        return { problems, facts: `${acceptedCount} accepted, ${emails} email` };
      } finally {
        for (const role of roles) role.release();
      }
    }),
};
