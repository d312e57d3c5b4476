// While a node is down, the owner of an account on another node schedules a campaign, imports
// pasted subscribers and a file, creates a form, a workflow and a token, signs in, and sends an SMS
// over HTTP; a sign-up is refused. A scheduled campaign of an account on the node that is down
// waits and is sent once the node has returned, no matter how long the outage lasts.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { writeAudienceJob } from '#areas/delivery/server/ledger/index.ts';
import type { SmppServer } from '#testing/servers/smpp-server.ts';
import { addPeople, proveDomain, startMessage } from '#testing/worlds/sending-helpers.ts';
import { addSmsSender } from '#testing/worlds/sms-sender.ts';
import {
  type StartedCampaign,
  readDeliveryOf,
  type Print,
  type Scene,
  stop,
  waitUntil,
} from '../kit.ts';
import { clusterNodes, findNode, runNodeCommand } from './on-cluster.ts';
import { createApiCall, newForm, signIn, signUp, startCampaign } from './owner.ts';
import { startRole } from './roles.ts';
import { Upstreams } from './upstreams.ts';

/** Longer than four attempts of a job, so that the test fails if an outage uses up attempts. */
const OUTAGE_MS = Number(process.env.CLUSTER_OUTAGE_MS ?? 120_000);
const SUBSCRIBERS = 200;
const PORT = 21_000 + (process.pid % 10_000);
const MAX_OWNERS = 40;
const SETTLING_SECONDS = 180;
/** Receives the SMS. */
const PHONE = '37061234599';

type OutageOwner = { email: string; cookie: string; accountId: number };

/** Returns the SMS_URL of this SMS center. */
export const smsUrl = ({ port }: SmppServer) => `smpp://me:secret@127.0.0.1:${port}`;

export async function playOutage(
  scene: Scene,
  center: SmppServer,
  print: Print,
): Promise<{ problems: string[]; campaigns: StartedCampaign[] }> {
  const env = { PORT: String(PORT), SIGN_UP: 'open', TRUST_PROXY: '1', BILLING: 'off' };
  const SMS_URL = smsUrl(center);
  const web = await startRole(scene, 'web', { ...env, SMS_URL, NODE_ENV: 'development' });
  try {
    const upstreams = new Upstreams();
    upstreams.ports.push(PORT);
    return await duringOutage(scene, center, upstreams, print);
  } finally {
    await stop(web);
  }
}

async function duringOutage(scene: Scene, center: SmppServer, upstreams: Upstreams, print: Print) {
  const { db } = scene;
  const [, away = '', other = ''] = clusterNodes();
  const owners = await ownersOn(scene, upstreams, [away, other]);
  const waiting = owners.get(away) as OutageOwner;
  const working = owners.get(other) as OutageOwner;
  await addSmsSender(db, working.accountId);
  // No worker runs yet, so the job of the campaign first runs during the outage.
  const waitingId = await startMessage(db, waiting.accountId);
  await runNodeCommand('CLUSTER_KILL', away);
  const worker = await startRole(scene, 'worker', { LOG_LEVEL: 'silent' });
  const problems: string[] = [];
  try {
    const endsAt = performance.now() + OUTAGE_MS;
    problems.push(...(await runActions(upstreams, working)));
    const refusal = await signUp(upstreams, 'late@faults.example', '198.51.100.1');
    if (!refusal.text.includes('sign_up_unavailable'))
      problems.push(`A sign-up got ${refusal.status}: ${refusal.text.slice(0, 200)}`);
    const elsewhere = await campaignOf(scene, working.accountId);
    if (!(await waitUntil(() => isFinished(scene, elsewhere), OUTAGE_MS / 1_000)))
      problems.push('A campaign scheduled during the outage was not sent by its end');
    if (!(await waitUntil(() => areImported(scene, working.accountId), OUTAGE_MS / 1_000)))
      problems.push('Imports started during the outage did not end');
    if (!(await waitUntil(() => isSmsSent(center), OUTAGE_MS / 1_000)))
      problems.push('An SMS of the outage was not sent by its end');
    await sleep(Math.max(0, endsAt - performance.now()));
    problems.push(...(await attemptsUsed(scene, waiting.accountId)));
    await runNodeCommand('CLUSTER_START', away);
    const lateCampaign = { accountId: waiting.accountId, messageId: waitingId };
    if (!(await waitUntil(() => isFinished(scene, lateCampaign), SETTLING_SECONDS)))
      problems.push('A campaign of the node was not sent after its return');
    print(`${away} was down for ${OUTAGE_MS / 1_000} s: other accounts scheduled and imported`);
    return { problems, campaigns: [elsewhere, lateCampaign] };
  } finally {
    await stop(worker);
  }
}

/** Signs up owners until each of these nodes has one with subscribers. */
async function ownersOn({ db }: Scene, upstreams: Upstreams, nodes: readonly string[]) {
  const owners = new Map<string, OutageOwner>();
  for (let count = 0; count < MAX_OWNERS && owners.size < nodes.length; count++) {
    const email = `owner${count}@faults.example`;
    const { headers, status, text } = await signUp(upstreams, email, `203.0.${count}.1`);
    if (status >= 400) throw new Error(`A sign-up got ${status}: ${text.slice(0, 200)}`);
    const cookie = (headers['set-cookie'] ?? []).map((header) => header.split(';')[0]).join('; ');
    const { rows } = await sql<{ id: number }>`select m.account_id as id from memberships m
      join users u on u.id = m.user_id where u.email_key = ${email}`.execute(db);
    const accountId = rows[0]?.id ?? 0;
    const node = await findNode(db, accountId);
    if (!nodes.includes(node) || owners.has(node)) continue;
    await createApiCall(upstreams, cookie)('PATCH', '/account_questionnaire', {
      ...{ address: 'Storgata 1', city: 'Oslo', state: 'Oslo', timezone: 'Europe/Oslo' },
      ...{ zip_code: '0155', country: 'NO' },
    });
    await proveDomain(db, accountId);
    await addPeople(db, accountId, SUBSCRIBERS);
    owners.set(node, { email, cookie, accountId });
  }
  if (owners.size < nodes.length) throw new Error(`No account on ${nodes.join(' or ')}`);
  return owners;
}

/** Makes the owner's calls; returns a problem for each that fails. */
async function runActions(upstreams: Upstreams, owner: OutageOwner): Promise<string[]> {
  const callApi = createApiCall(upstreams, owner.cookie);
  const actions: [string, () => Promise<unknown>][] = [
    ['schedule a campaign', () => startCampaign(upstreams, owner, 'During the outage')],
    ['create a form', () => newForm(callApi)],
    ['save a workflow', () => callApi('POST', '/workflows', { title: 'Welcome' })],
    ['import', () => importPasted(callApi)],
    ['import a file', () => importFile(upstreams, owner)],
    ['sign in', () => signIn(upstreams, owner.email)],
    ['send an SMS', () => sendSms(upstreams, callApi)],
  ];
  const problems: string[] = [];
  for (const [name, run] of actions) {
    await run().catch((error: Error) => problems.push(`Could not ${name}: ${error.message}`));
  }
  return problems;
}

/** Sends a transactional SMS with a new API token. */
async function sendSms(
  upstreams: Upstreams,
  callApi: ReturnType<typeof createApiCall>,
): Promise<void> {
  const token = await callApi('POST', '/tokens', { title: 'Shop', validity_days: null });
  const { status, text } = await upstreams.request('/v2/sms/send', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${(token as { token: string }).token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ to: `+${PHONE}`, text: 'Your order is on its way' }),
  });
  if (status !== 200) throw new Error(`The SMS got ${status} ${text}`);
}

const isSmsSent = async ({ submitted }: SmppServer) => submitted.some(({ to }) => to === PHONE);

async function importPasted(callApi: ReturnType<typeof createApiCall>): Promise<void> {
  const subscribers = 'Email\npasted1@import.example\npasted2@import.example';
  const preview = await callApi('POST', '/subscribers/text_import', { subscribers });
  await callApi('POST', '/subscribers/start_import', {
    source: (preview as { id: string }).id,
    columns: [{ column: 0, target: 'email' }],
    consent: { attested: true, channels: ['email'] },
  });
}

const BOUNDARY = 'part';

/**
 * Uploads a file with one of the subscribers, one of the owner's numbers, and a new subscriber, and
 * starts the import.
 */
async function importFile(upstreams: Upstreams, { cookie }: OutageOwner): Promise<void> {
  const callApi = createApiCall(upstreams, cookie);
  await callApi('POST', '/subscribers', { phone: '+37061234501' });
  const file = [
    'Email,First name,Phone',
    'person1@gmail.com,Renamed,',
    'adopting@import.example,Adopting,+37061234501',
    'new@import.example,New,+37061234502',
  ].join('\n');
  const { status, text } = await upstreams.request('/client-api/api/subscribers/import_file', {
    method: 'POST',
    headers: {
      'x-sendloom': '1',
      cookie,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
    },
    body: `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="people.csv"\r\n\r\n${file}\r\n--${BOUNDARY}--\r\n`,
  });
  if (status !== 200) throw new Error(`The upload got ${status} ${text}`);
  await callApi('POST', '/subscribers/start_import', {
    source: (JSON.parse(text) as { data: { source: string } }).data.source,
    columns: [
      { column: 0, target: 'email' },
      { column: 1, target: 'firstname' },
      { column: 2, target: 'phone' },
    ],
    consent: { attested: true, channels: ['email'] },
  });
}

async function campaignOf({ db }: Scene, accountId: number): Promise<StartedCampaign> {
  const { rows } = await sql<{ id: number }>`select id from messages
    where account_id = ${accountId} and kind = 'campaign' order by id desc limit 1`.execute(db);
  return { accountId, messageId: rows[0]?.id ?? 0 };
}

async function isFinished({ db }: Scene, campaign: StartedCampaign): Promise<boolean> {
  return (await readDeliveryOf(db, campaign)).state === 'finished';
}

async function areImported({ db }: Scene, accountId: number): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from imports
    where account_id = ${accountId} and state = 'finished'`.execute(db);
  const { rows: found } = await sql`select 1 from subscribers where account_id = ${accountId}
    and (email, firstname) in (('person1@gmail.com', 'Renamed'), ('adopting@import.example', 'Adopting'),
      ('new@import.example', 'New'))`.execute(db);
  return rows[0]?.count === 2 && found.length === 3;
}

/**
 * Returns a problem unless the account has exactly one job that writes an audience, with at most
 * one attempt used.
 */
async function attemptsUsed({ db }: Scene, accountId: number): Promise<string[]> {
  const { rows } = await sql<{ attempts: number }>`
    select j.attempts from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = ${writeAudienceJob.name}
      and j.payload->>'accountId' = ${String(accountId)}`.execute(db);
  // A running attempt is treated as used until its failure is reported.
  const retriedRows = rows.filter(({ attempts }) => attempts > 1);
  return rows.length === 1 && retriedRows.length === 0
    ? []
    : [`Jobs of the node that was down: ${JSON.stringify(rows)}`];
}
