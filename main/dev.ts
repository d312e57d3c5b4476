// `npm run dev`: Vite serves the client on PORT and proxies API calls to the web role. The roles
// restart whenever a server file changes, after new migrations have run.
import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import { createServer } from 'vite';
import { CannotStart } from '#platform/server/process/cannot-start.ts';
import { findFreePort, migrateDatabase, readConfig } from './prepare.ts';
import { announce, type Product, runProduct } from './product.ts';

const ROOT = join(import.meta.dirname, '..');
const WATCHED = ['areas', 'platform', 'providers', 'main', 'migrations', 'locales'];
const CLIENT = /(^|[\\/])(web|web-client)[\\/]|\.test\.tsx?$/;
const QUIET_MS = 150;

try {
  await dev();
} catch (error) {
  if (!(error instanceof CannotStart)) console.error(error);
  else console.error(`Could not start. ${error.message}`);
  process.exit(1);
}

async function dev(): Promise<void> {
  const { host, port, publicUrl } = readConfig();
  if ((await findFreePort(port, host)) === undefined) {
    throw new CannotStart(
      `Port ${port} of ${host} is in use: stop the process that uses it, or set PORT.`,
    );
  }
  // Vite takes PORT, the address that users open; the web role takes a free port behind it.
  const behind = String(await findFreePort(0, host));
  process.env.PUBLIC_URL = publicUrl;
  process.env.PORT = behind;
  const product = await runProduct([], true);
  process.env.SERVER_URL = `http://${host}:${behind}`;
  const vite = await createServer({
    configFile: join(ROOT, 'vite.config.ts'),
    server: { host, port, strictPort: true },
  });
  await vite.listen();
  restartOnChange(product);
  announce(product);
}

function restartOnChange(product: Product): FSWatcher[] {
  let timer: NodeJS.Timeout | undefined;
  let work = Promise.resolve();
  const scheduleRestart = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      work = work.then(() => restart(product)).catch((error) => console.error(error.message));
    }, QUIET_MS);
  };
  return WATCHED.map((folder) =>
    watch(join(ROOT, folder), { recursive: true }, (_event, file) => {
      if (file && /\.(ts|sql|json)$/.test(file) && !CLIENT.test(file)) scheduleRestart();
    }),
  );
}

async function restart({ roles, env }: Product): Promise<void> {
  console.log('Server file changed; restarting …');
  await migrateDatabase(env.DATABASE_URL ?? '');
  await roles.restart({});
}
