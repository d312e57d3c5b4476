// 17: kill -9 of the web process while programs send single emails by the API. Each request is
// repeated with the same Idempotency-Key until it is answered: every 200 results in exactly one
// email.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { proveDomain } from '#testing/worlds/sending-helpers.ts';
import { type FaultTest, type Scene, withScene, waitUntil } from './kit.ts';
import { startSupervisedRole } from './kit/roles.ts';

const KILLS = Number(process.env.API_KILLS ?? 6);
const EMAILS = Number(process.env.API_MAILS ?? 800);
const PORT = 41_723;
const BASE = `http://127.0.0.1:${PORT}`;
/** Each token may make 300 calls a minute. */
const TOKENS = 20;
const AT_ONCE = 20;

export const fault: FaultTest = {
  number: 17,
  title: `kill -9 of the web process, ${KILLS} times, between a call's 200 and its email`,
  run: (print) =>
    withScene(async (scene) => {
      const role = await startSupervisedRole(scene, 'web', { PORT: String(PORT), SIGN_UP: 'open' });
      const problems: string[] = [];
      try {
        const tokens = await createTokens(scene);
        const acceptedIds = new Map<number, string>();
        let repeats = 0;
        let next = 0;
        const client = async () => {
          for (let i = next++; i < EMAILS; i = next++)
            for (let attempt = 0; !acceptedIds.has(i); attempt++) {
              if (attempt > 200)
                return void problems.push(`The request of email ${i} got no response`);
              const id = await send(tokens[i % TOKENS] as string, i);
              if (id) acceptedIds.set(i, id);
              else {
                repeats += 1;
                await sleep(200);
              }
            }
        };
        const clients = Promise.all(Array.from({ length: AT_ONCE }, client));
        for (let count = 1; count <= KILLS; count++) {
          const target = (count * EMAILS) / (KILLS + 1);
          if (!(await waitUntil(() => acceptedIds.size >= target, 120)))
            problems.push('The requests made no progress');
          process.kill(role.pid(), 'SIGKILL');
          print(`${count} kills, ${acceptedIds.size} answered`);
          // No sender runs during the first half, so emails are only stored when the call is
          // answered.
          if (count === Math.ceil(KILLS / 2)) await scene.startSender();
        }
        await clients;
        // The new account's welcome email is sent as well.
        const arrivedMessages = () =>
          scene.relay.accepted.filter((receivedMessage) =>
            receivedMessage.to[0]?.startsWith('buyer'),
          ).length;
        if (!(await waitUntil(() => arrivedMessages() >= EMAILS, 120)))
          problems.push(`${arrivedMessages()} of ${EMAILS} arrived`);
        await sleep(2_000);
        problems.push(...(await problemsOf(scene, acceptedIds)));
        return {
          problems,
          facts: `${acceptedIds.size} answered 200, ${repeats} retries; ${arrivedMessages()} sent, each once`,
        };
      } finally {
        role.release();
      }
    }),
};

async function problemsOf(
  { db, relay }: Scene,
  acceptedIds: Map<number, string>,
): Promise<string[]> {
  const problems: string[] = [];
  const recipients = relay.accepted.map((receivedMessage) => receivedMessage.to[0] ?? '');
  const duplicateCount = recipients.length - new Set(recipients).size;
  if (duplicateCount > 0) problems.push(`${duplicateCount} sent twice`);
  const arrivedAddresses = new Set(recipients);
  const lostIds = [...acceptedIds.keys()].filter((i) => !arrivedAddresses.has(addressOf(i)));
  if (lostIds.length > 0) problems.push(`${lostIds.length} were answered 200 and never sent`);
  if (new Set(acceptedIds.values()).size !== acceptedIds.size)
    problems.push('Two requests were answered with the same email');
  const { rows } = await sql<{ rows: number }>`
    select count(*)::int as rows from single_sends where recipient like 'buyer%'`.execute(db);
  if (rows[0]?.rows !== EMAILS) problems.push(`${rows[0]?.rows} rows for ${EMAILS} emails`);
  return problems;
}

const addressOf = (i: number) => `buyer${i}@home.example`;

/** Returns the email's id, or undefined if the call has to be repeated. */
async function send(token: string, i: number): Promise<string | undefined> {
  const response = await fetch(`${BASE}/v2/message/send`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': `mail ${i}`,
    },
    body: JSON.stringify({
      from: { email: 'news@tea.example', name: 'Tea' },
      to: { email: addressOf(i) },
      subject: 'Order {{ number }}',
      text: 'Order {{ number }}',
      variables: { number: i },
    }),
    signal: AbortSignal.timeout(20_000),
  }).catch(() => undefined);
  if (!response) return undefined;
  const body = (await response.json().catch(() => ({}))) as { emailId?: string };
  if (response.status >= 400 && response.status < 500 && response.status !== 429)
    throw new Error(`${response.status} ${JSON.stringify(body)}`);
  return response.status === 200 ? body.emailId : undefined;
}

async function createTokens({ db }: Scene): Promise<string[]> {
  const asJson = { 'x-sendloom': '1', 'content-type': 'application/json' };
  const signedUp = await fetch(`${BASE}/auth/api/sign-up`, {
    method: 'POST',
    headers: asJson,
    body: JSON.stringify({ email: 'owner@faults.example', password: 'correct horse battery' }),
  });
  if (!signedUp.ok) throw new Error(await signedUp.text());
  const cookie = signedUp.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
  const { rows } = await sql<{ id: number }>`select id from accounts order by id limit 1`.execute(
    db,
  );
  await proveDomain(db, rows[0]?.id as number);
  return Promise.all(
    Array.from({ length: TOKENS }, async (_, i) => {
      const response = await fetch(`${BASE}/client-api/api/tokens`, {
        method: 'POST',
        headers: { ...asJson, cookie },
        body: JSON.stringify({ title: `Shop ${i}`, validity_days: null }),
      });
      if (!response.ok) throw new Error(await response.text());
      return ((await response.json()) as { data: { token: string } }).data.token;
    }),
  );
}
