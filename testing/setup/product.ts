// The whole product as users start it, with separate processes, database and inbox, free ports and
// temporary data.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '#main/prepare.ts';

const ENTRY = join(import.meta.dirname, '../..', 'main', 'start.ts');
/** The first start of a checkout builds the web client, which takes minutes on a busy machine. */
const MAX_START_MS = 300_000;

export interface RunningProduct {
  /** `http://localhost:41234` */
  address: string;
  dataDir: string;
  /** Signals the process that started the others and waits for it to end. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Starts the product again after a kill, on the same data and port. */
  start(): Promise<void>;
  /** Stops the product and deletes its data. */
  remove(): Promise<void>;
}

export async function startProduct(env: NodeJS.ProcessEnv = {}): Promise<RunningProduct> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sendloom-product-'));
  // If root runs the tests, PostgreSQL runs as another user, who must be able to enter the folder.
  chmodSync(dataDir, 0o755);
  const port = env.PORT ? Number(env.PORT) : await findProductPort();
  const settings = {
    ...process.env,
    NODE_ENV: 'development',
    BILLING: 'test',
    // External font services are never called.
    FONTS_URL: 'off',
    PORT: String(port),
    INBOX_SMTP_PORT: String(await findProductPort()),
    DATA_DIR: dataDir,
    ...env,
  };
  let child: ChildProcess | undefined;
  const start = async () => {
    child = await launch(settings);
  };
  const kill = async (signal: NodeJS.Signals) => {
    const runningChild = child;
    if (!runningChild || runningChild.exitCode !== null || runningChild.signalCode !== null) return;
    const exit = new Promise((settle) => runningChild.once('exit', settle));
    runningChild.kill(signal);
    await exit;
  };
  await start().catch((error) => {
    removeData(dataDir);
    throw error;
  });
  return {
    address: `http://localhost:${port}`,
    dataDir,
    kill,
    start,
    async remove() {
      await kill('SIGTERM');
      removeData(dataDir);
    },
  };
}

/**
 * Finds a free port below the range that systems assign, so that no connection takes it before the
 * product listens.
 */
export async function findProductPort(): Promise<number> {
  const port = await findFreePort(randomInt(20_000, 32_000), '127.0.0.1');
  return port ?? findProductPort();
}

function launch(env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const child = spawn(process.execPath, [ENTRY], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  return new Promise((ready, failure) => {
    const timeout = setTimeout(() => child.kill('SIGTERM'), MAX_START_MS);
    const readOutput = (data: Buffer) => {
      output += data.toString();
      if (output.includes('Sendloom is ready')) {
        clearTimeout(timeout);
        ready(child);
      }
    };
    child.stdout.on('data', readOutput);
    child.stderr.on('data', readOutput);
    child.once('exit', () => {
      clearTimeout(timeout);
      failure(new Error(`The product ended at its start:\n${output}`));
    });
  });
}

/** The database may be in another folder if its user cannot access the temporary one. */
function removeData(dataDir: string): void {
  const settingsFile = join(dataDir, 'postgres.json');
  if (existsSync(settingsFile)) {
    const { cluster } = JSON.parse(readFileSync(settingsFile, 'utf8')) as { cluster: string };
    rmSync(cluster, { recursive: true, force: true });
  }
  rmSync(dataDir, { recursive: true, force: true });
}
