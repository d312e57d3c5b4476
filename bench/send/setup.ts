// The environment of the sending benchmarks: a durable PostgreSQL, a sink that accepts everything,
// subscribers, and senders in separate processes.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { configureDelivery } from '#areas/delivery/server/index.ts';
import { findFreePort, migrateDatabase } from '#main/prepare.ts';
import { MEMORY_FLAGS } from '#main/role.ts';
import { createDatabase, type Db } from '#platform/server/database/database.ts';
import { startEmbeddedPostgres } from '#platform/server/database/embedded-postgres.ts';
import { configureSecrets, seal } from '#platform/server/secrets.ts';
import { proveDomain } from '#testing/worlds/sending-helpers.ts';
import { isInstalled, startSink } from './postfix.ts';

const SECRET = 'a secret of the benchmark, thirty-two characters';
const BOUNCE_DOMAIN = 'bounces.tea.example';

export type BenchSetup = {
  db: Db;
  folder: string;
  port: number;
  env(sessions: number): NodeJS.ProcessEnv;
};

/**
 * Runs `play` with a separate database and sink. With `isApart`, the first processor is reserved
 * for the sink, as if it were a different machine.
 */
export async function withBenchSetup(
  play: (setup: BenchSetup) => Promise<void>,
  { isApart = false } = {},
): Promise<void> {
  if (!isInstalled('smtp-sink') || !isInstalled('smtp-source')) {
    console.error("This benchmark needs smtp-source and smtp-sink (Debian's package postfix).");
    process.exit(2);
  }
  // Processes that are started after this inherit the setting.
  if (isApart) pinProcess(process.pid, `1-${cpus().length - 1}`);
  const folder = mkdtempSync(join(tmpdir(), 'sendloom-send-'));
  configureSecrets(SECRET);
  configureDelivery({ bounceDomain: BOUNCE_DOMAIN, needsVerifiedSender: false });
  const configuredUrl = process.env.DATABASE_URL;
  const server = configuredUrl ? undefined : await startEmbeddedPostgres({ folder });
  const url = configuredUrl ?? (server?.url as string);
  const port = (await findFreePort(0, '127.0.0.1')) as number;
  const sink = await startSink(port);
  if (isApart) pinProcess(sink.pid as number, '0');
  try {
    await migrateDatabase(url);
    const db = createDatabase(url, 5);
    await play({ db, folder, port, env: (sessions) => envOf(url, folder, port, sessions) });
    await db.destroy();
  } finally {
    sink.kill();
    await server?.stop();
    if (server) rmSync(server.cluster, { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Pins a process with all its threads to these processors (with taskset of util-linux). */
function pinProcess(pid: number, processors: string): void {
  execFileSync('taskset', ['-apc', processors, String(pid)], { stdio: 'ignore' });
}

function envOf(url: string, folder: string, port: number, sessions: number): NodeJS.ProcessEnv {
  return {
    ...process.env,
    NODE_ENV: 'test',
    DATA_DIR: folder,
    DATABASE_URL: url,
    SECRET,
    SMTP_URL: `smtp://127.0.0.1:${port}?tls=none&connections=${sessions}`,
    BOUNCE_DOMAIN,
    LOG_LEVEL: 'warn',
  };
}

/**
 * Creates an account with a verified domain, subscribers, and a suppression list that contains none
 * of them. Returns the account's ID.
 */
export async function addPeople(db: Db, recipients: number): Promise<number> {
  const now = new Date();
  const { rows } = await sql<{ id: number }>`insert into accounts (title, created_at, modified_at)
    values ('Nordic Tea', ${now}, ${now}) returning id`.execute(db);
  const accountId = rows[0]?.id as number;
  await sql`insert into subscribers
      (account_id, email, email_key, firstname, lastname, mailbox, created_at, modified_at)
    select ${accountId}::bigint, e, e, case when n % 3 > 0 then 'Åse ' || n end, 'Nordmann', n % 4,
      ${now}, ${now}
    from (select n, 'person' || n || '@example.com' as e from generate_series(1, ${recipients}::int) n)
    people`.execute(db);
  await sql`insert into suppressions (account_id, channel, address_hash, reason, created_at)
    select ${accountId}::bigint, 'email', sha256(convert_to(n::text, 'UTF8')), 'bounced', ${now}
    from generate_series(1, 5000) n`.execute(db);
  await proveDomain(db, accountId);
  await sql`analyze`.execute(db);
  return accountId;
}

/** Enables DKIM signing with a published RSA-2048 key. */
export async function addSigningKey(db: Db, accountId: number): Promise<void> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const now = new Date();
  const record = { purpose: 'dkim', name: 'sl1._domainkey.tea.example', state: 'ok' };
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  await sql`with domain as (
      update domains set dns_status = ${JSON.stringify({ records: [record] })}
      where account_id = ${accountId} returning id)
    insert into domain_keys (account_id, domain_id, selector, public_key, sealed_private_key, created_at)
    select ${accountId}::bigint, id, 'sl1', '', ${seal('dkim private key', pem)}, ${now}
    from domain`.execute(db);
}

export async function startProcess(env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const file = join(import.meta.dirname, 'sender-process.ts');
  const child = spawn(process.execPath, [...MEMORY_FLAGS.sender, file], {
    env,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [first] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (first !== 'ready') throw new Error('The sender did not start');
  return child;
}

export async function readUsage(child: ChildProcess): Promise<{ cpu: number; peak: number }> {
  child.send('usage');
  const [usage] = (await once(child, 'message')) as [{ cpu: number; peak: number }];
  return usage;
}
