// Compares authenticated SMTP submission over TLS with the built-in inbox, which stores each
// message on disk before it answers. The same client submits the same messages over ten
// connections, in alternating rounds.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import nodemailer from 'nodemailer';
import { startSubmissionServer } from '#main/submission.ts';
import { type Config, loadConfig } from '#platform/server/config.ts';
import type { Db } from '#platform/server/database/database.ts';
import { startInbox } from '#providers/inbox/index.ts';
import { median } from '../kit/figures.ts';
import type { BenchOwner } from '../kit/owner.ts';

const CONNECTIONS = 10;
const HTML = `<p>Dear reader, <a href="https://tea.example/orders">your order</a></p>${'<p>Tea of the day.</p>'.repeat(900)}`;

export async function measureSubmission(
  db: Db,
  base: string,
  owner: BenchOwner,
  { mails: emailCount, rounds }: { mails: number; rounds: number },
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'submission-bench-'));
  const log = { info: () => {}, error: console.error };
  const inbox = await startInbox({ dataDir: folder, port: 0, log: log });
  const config: Config = {
    ...loadConfig({ NODE_ENV: 'test', DATA_DIR: folder }),
    submission: { host: '127.0.0.1', port: undefined, tlsPort: 0, certificate: undefined },
  };
  const server = await startSubmissionServer(config, db);
  const submissionClient = clientFor(server?.tlsPort ?? 0, await userOf(base, owner));
  const inboxClient = clientFor(inbox.port);
  const ratios: number[] = [];
  console.log('round  inbox/s  submission/s  ratio');
  await rateOf(submissionClient, 100);
  await rateOf(inboxClient, 100);
  for (let round = 1; round <= rounds; round++) {
    const limit = await rateOf(inboxClient, emailCount);
    const acceptedRate = await rateOf(submissionClient, emailCount);
    ratios.push(acceptedRate / limit);
    const columns = [limit.toFixed(0).padStart(7), acceptedRate.toFixed(0).padStart(12)];
    console.log(
      `${String(round).padStart(5)}  ${columns.join('  ')}  ${(acceptedRate / limit).toFixed(2)}`,
    );
  }
  submissionClient.close();
  inboxClient.close();
  await Promise.all([server?.close(), inbox.close()]);
  rmSync(folder, { recursive: true });
  const ratio = median(ratios);
  console.log(`median ratio ${ratio.toFixed(2)} of the inbox`);
  return ratio;
}

async function userOf(base: string, owner: BenchOwner) {
  const created = await fetch(`${base}/client-api/api/smtp_users`, {
    method: 'POST',
    headers: { ...owner.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'Bench' }),
  });
  if (!created.ok) throw new Error(await created.text());
  const { data } = (await created.json()) as { data: { username: string; password: string } };
  return { user: data.username, pass: data.password };
}

const clientFor = (port: number, auth?: { user: string; pass: string }) =>
  nodemailer.createTransport({
    ...{ host: '127.0.0.1', port, pool: true, maxConnections: CONNECTIONS },
    ...{ maxMessages: Number.POSITIVE_INFINITY, secure: auth !== undefined },
    ...(auth ? { auth, tls: { rejectUnauthorized: false } } : { ignoreTLS: true }),
  });

let sentCount = 0;

/** Returns the messages per second that are answered with 250. */
async function rateOf(client: ReturnType<typeof clientFor>, count: number): Promise<number> {
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: count }, () =>
      client.sendMail({
        ...{ from: 'Tea <news@tea.example>', to: `buyer${++sentCount}@home.example` },
        ...{ subject: 'Your order', html: HTML },
      }),
    ),
  );
  return count / ((performance.now() - startedAt) / 1_000);
}
