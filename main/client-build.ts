// Builds the web client into dist/web when its sources are other than those of the last build, and
// compresses it once, so that the server sends it as it is.
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { CannotStart } from '#platform/server/cannot-start.ts';
import { writePreloads } from './client-preloads.ts';

const ROOT = join(import.meta.dirname, '..');
const BUILT = join(ROOT, 'dist', 'web');
const VITE = join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js');
const SOURCES = [
  'main/web-client/**/*',
  'platform/*.ts',
  'platform/web/**/*',
  'areas/*/*.ts',
  'areas/*/web/**/*',
  'embed/**/*',
  'locales/*/*.json',
  'vite.config.ts',
  'main/client-preloads.ts',
  'main/together.json',
  'main/first-calls.json',
  'package-lock.json',
];

/** Whether a build is due. Without Vite (a production install) the built client is taken as it is. */
export function isClientStale(): boolean {
  if (!existsSync(VITE)) {
    if (existsSync(join(BUILT, 'index.html'))) return false;
    throw new CannotStart('The web client is not built: run npm start once with all dependencies.');
  }
  return !isBuilt(BUILT, sourcesHash());
}

/** A whole build or the old one: made beside it, then renamed. `onChild` may stop it. */
export async function buildClient(
  onChild: (child: ChildProcess) => void = () => {},
): Promise<void> {
  const hash = sourcesHash();
  // Two starts at once must not build into one folder.
  const folder = `${BUILT}.${process.pid}`;
  // What runs on customers' sites comes with it, into a folder of its own.
  const builds = [
    ['--outDir', folder],
    ['--config', join(ROOT, 'embed', 'vite.config.ts'), '--outDir', join(folder, 'embed')],
  ];
  for (const build of builds) {
    const code = await vite(build, onChild);
    if (code === 0) continue;
    rmSync(folder, { recursive: true, force: true });
    throw new CannotStart('The web client could not be built: see above.');
  }
  writePreloads(folder);
  await compress(folder);
  await putInPlace(folder, hash);
}

function vite(args: string[], onChild: (child: ChildProcess) => void): Promise<number | null> {
  const child = spawn(
    process.execPath,
    [VITE, 'build', ...args, '--emptyOutDir', '--logLevel', 'warn'],
    {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit'],
      // Else a start in development puts React's slow, larger half into the client.
      env: { ...process.env, NODE_ENV: 'production' },
    },
  );
  onChild(child);
  return new Promise((settle) => child.once('close', settle));
}

const PLACE_TRIES = 50;

/**
 * Where two starts come here at once, both end well: who comes second finds the same sources built, and leaves
 * alone what the first may be showing already.
 */
export async function putInPlace(folder: string, hash: string, place = BUILT): Promise<void> {
  const stamp = `${place}.sources`;
  const aside = `${folder}.old`;
  for (let tries = 1; !isBuilt(place, hash); tries++) {
    try {
      // By names alone: who reads meanwhile finds the old one or the new one.
      if (existsSync(place)) renameSync(place, aside);
      renameSync(folder, place);
      writeFileSync(stamp, hash);
      return;
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (tries === PLACE_TRIES || !TAKEN.has(code)) throw error;
      await delay(Math.random() * 50);
    } finally {
      rmSync(aside, { recursive: true, force: true });
    }
  }
  rmSync(folder, { recursive: true, force: true });
}

/** What renaming says where somebody else was faster; Windows, where somebody reads. */
const TAKEN = new Set(['ENOENT', 'ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES']);

function isBuilt(place: string, hash: string): boolean {
  const stamp = `${place}.sources`;
  return existsSync(place) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash;
}

function sourcesHash(): string {
  const hash = createHash('sha256');
  for (const path of SOURCES.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).sort()) {
    if (/\.test\.tsx?$|\.server\.json$/.test(path) || !/\.\w+$/.test(path)) continue;
    hash
      .update(path)
      .update('\0')
      .update(readFileSync(join(ROOT, path)))
      .update('\0');
  }
  return hash.digest('hex');
}

async function compress(folder: string): Promise<void> {
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } };
  const files = globSync('**/*.{js,css,html,svg,json}', { cwd: folder });
  await Promise.all(
    files.map(async (file) => {
      const path = join(folder, file);
      const content = readFileSync(path);
      writeFileSync(`${path}.br`, await promisify(brotliCompress)(content, brotli));
      writeFileSync(`${path}.gz`, await promisify(gzip)(content));
    }),
  );
}
