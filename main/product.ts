// The whole product in one process tree, shared by `npm start` and `npm run dev`.
import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CannotStart } from '#platform/server/process/cannot-start.ts';
import { type Config, findMisspelled, withFileSettings } from '#platform/server/config.ts';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '#platform/server/database/embedded-postgres.ts';
import { configureLog, log, print } from '#platform/server/log.ts';
import { buildClient, isClientStale } from './client-build.ts';
import { monitorPort, assignPorts } from './ports.ts';
import { migrateDatabase, readConfig, readSecret } from './prepare.ts';
import { closing, DRAIN_MS, ROLES, type Role, startRole, watchRole } from './role.ts';
import { createSupervisor, type Supervisor } from './supervisor.ts';
import { logProcessErrors } from './unhandled.ts';

/**
 * Ctrl-C arrives from the terminal and again through npm; signals within this time are treated as
 * one.
 */
const SAME_SIGNAL_MS = 1000;
const DATABASE_RETRY_MS = 5000;

export interface Product {
  config: Config;
  roles: Supervisor;
  /** The environment of the roles. */
  env: NodeJS.ProcessEnv;
}

/**
 * Starts the database, if it is the embedded one, and the roles of `args`; resolves when they are
 * ready. With `isDev`, Vite serves the client and nothing is built.
 */
export async function runProduct(args: string[], isDev = false): Promise<Product> {
  const names = rolesOf(args);
  const config = readConfig();
  configureLog({ level: config.logLevel, json: config.isProduction, role: 'start' });
  logProcessErrors();
  for (const { name, setting } of findMisspelled(process.env)) {
    log.warn(`Unknown setting ${name} has no effect; did you mean ${setting}?`);
  }
  const running: Stoppable = { roles: createSupervisor() };
  stopOnSignals(running);
  try {
    return await startAll(names, config, running, isDev);
  } catch (error) {
    // After Ctrl-C during the start, errors are consequences of the shutdown.
    if (running.isStopping) return new Promise(() => {});
    await stopAll(running);
    throw error;
  }
}

async function startAll(
  names: Role[],
  config: Config,
  running: Stoppable,
  isDev: boolean,
): Promise<Product> {
  await refuseWrongRelays(config);
  const env: NodeJS.ProcessEnv = {
    ...withFileSettings(process.env),
    ...(await assignPorts(config, names)),
  };
  const needsClient = names.includes('web') && !isDev && isClientStale();
  if (needsClient) print('Building the web client …');
  [env.DATABASE_URL] = await Promise.all([
    databaseOf(config, running),
    needsClient ? buildClient((child) => (running.build = child)) : undefined,
  ]);
  env.SECRET = readSecret(config);
  const product = { config: readConfig(env), roles: running.roles, env };
  const [first, ...others] = names;
  if (config.databaseUrl && first && others.length === 0) {
    // A single role with an external database runs in this process, which no supervisor restarts:
    // if the role fails, the process ends and the service manager restarts it.
    const watchdog = watchRole(first, product.config, {
      onBeat: () => {},
      end: () => void stop(running, 1),
    });
    const start = startRole(first, product.config);
    running.closeRole = closing(start);
    await start;
    watchdog.ready();
  } else {
    await Promise.all(
      names.map((role) =>
        running.roles.start(role, { ...env, ...monitorPort(config, names, role) }),
      ),
    );
  }
  return product;
}

/** Options of relays and providers are validated before anything starts. */
async function refuseWrongRelays(config: Config): Promise<void> {
  const { smtpUrl, smsUrl } = config;
  if (smtpUrl !== undefined) (await import('./relays.ts')).checkRelayOptions(config);
  if (smsUrl !== undefined) (await import('./sms-providers.ts')).smsProviders(smsUrl);
}

/** Prints the addresses that the operator needs. */
export function announce({ config }: Product, address = config.publicUrl): void {
  const lines = [`Sendloom is ready: ${address}`];
  if (!config.smtpUrl) {
    lines.push(
      `Emails are stored, not delivered: see ${address}/inbox (SMTP on 127.0.0.1:${config.inboxSmtpPort}).`,
    );
  }
  lines.push(`Data: ${config.dataDir}. Ctrl-C stops everything.`);
  if (config.isProduction) for (const line of lines) print(line);
  else console.log(`\n${lines.join('\n')}\n`);
}

interface Stoppable {
  roles: Supervisor;
  closeRole?: () => Promise<void>;
  database?: EmbeddedPostgres;
  build?: ChildProcess;
  isStopping?: boolean;
}

function rolesOf(args: string[]): Role[] {
  let value: string | undefined;
  try {
    value = parseArgs({ args, options: { roles: { type: 'string' } } }).values.roles;
  } catch (error) {
    throw new CannotStart((error as Error).message);
  }
  const names = value?.split(',').map((name) => name.trim()) ?? [...ROLES];
  const unknown = names.find((name) => !(ROLES as readonly string[]).includes(name));
  if (unknown !== undefined) {
    throw new CannotStart(`Unknown role '${unknown}': --roles accepts ${ROLES.join(',')}.`);
  }
  return names as Role[];
}

/** Returns the URL of the migrated database; an embedded server is restarted if it dies. */
async function databaseOf(config: Config, running: Stoppable): Promise<string> {
  const url = config.databaseUrl ?? (await superviseDatabase(config, running));
  const ran = await migrateDatabase(url);
  if (ran.length > 0) print(`Migrated the database: ${ran.join(', ')}.`);
  return url;
}

async function superviseDatabase(config: Config, running: Stoppable): Promise<string> {
  const start = async (): Promise<string> => {
    const database = await startEmbeddedPostgres({ folder: config.dataDir, print });
    running.database = database;
    if (running.isStopping) await database.stop();
    void database.unexpectedExit.then(async () => {
      log.error('Database server exited unexpectedly; restarting');
      const url = await restart();
      if (url !== undefined && url !== database.url) {
        await running.roles.restart({ DATABASE_URL: url });
      }
    });
    return database.url;
  };
  // The cause may be temporary, such as a full disk. The roles wait until the database is back, and
  // lose nothing.
  const restart = async (): Promise<string | undefined> => {
    while (!running.isStopping) {
      try {
        return await start();
      } catch (error) {
        const reason = (error as Error).message;
        log.error('Could not restart the database server; retrying', { reason });
        await delay(DATABASE_RETRY_MS);
      }
    }
    return undefined;
  };
  return start();
}

function stopOnSignals(running: Stoppable): void {
  let firstSignalAt: number | undefined;
  const onSignal = () => {
    const now = performance.now();
    firstSignalAt ??= now;
    if (now - firstSignalAt > SAME_SIGNAL_MS) running.roles.kill();
    else if (!running.isStopping) {
      print('Stopping …');
      void stop(running, 0);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  // The parent process (scripts/run.mjs) was killed.
  process.on('disconnect', onSignal);
}

async function stop(running: Stoppable, code: number): Promise<never> {
  await stopAll(running);
  process.exit(code);
}

/** Stops the roles first, because they still write to the database while they drain. */
async function stopAll(running: Stoppable): Promise<void> {
  running.isStopping = true;
  running.build?.kill();
  await running.roles.stop();
  // Roles that run in their own processes enforce this limit themselves.
  if (running.closeRole) setTimeout(() => process.exit(1), DRAIN_MS).unref();
  await running.closeRole?.();
  await running.database?.stop();
}
