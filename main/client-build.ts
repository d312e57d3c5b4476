// Builds the web client into dist/web when its sources have changed since the last build. Files are
// compressed once, so that the server sends them as they are.
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { CannotStart } from '#platform/server/process/cannot-start.ts';
import { writePreloads } from './client-preloads.ts';

const ROOT = join(import.meta.dirname, '..');
const BUILD_FOLDER = join(ROOT, 'dist', 'web');
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
  'main/text-groups.json',
  'package-lock.json',
];

/**
 * Returns true if the sources have changed since the last build. Without Vite (a production
 * install) a built client is treated as current.
 * @throws CannotStart if there is neither Vite nor a built client
 */
export function isClientStale(): boolean {
  if (!existsSync(VITE)) {
    if (existsSync(join(BUILD_FOLDER, 'index.html'))) return false;
    throw new CannotStart(
      'The web client is not built: install all dependencies and run npm start once.',
    );
  }
  return !isBuilt(BUILD_FOLDER, hashOfSources(SOURCES));
}

/**
 * Builds into a temporary folder and then renames it, so that the client is never half built.
 * `onChild` receives the build process and may stop it.
 */
export async function buildClient(
  onChild: (child: ChildProcess) => void = () => {},
): Promise<void> {
  const hash = hashOfSources(SOURCES);
  // The process id in the name keeps concurrent builds apart.
  const folder = `${BUILD_FOLDER}.${process.pid}`;
  // The embed scripts for customers' sites are built into their own folder.
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
  await installBuild(folder, hash);
}

function vite(args: string[], onChild: (child: ChildProcess) => void): Promise<number | null> {
  const child = spawn(
    process.execPath,
    [VITE, 'build', ...args, '--emptyOutDir', '--logLevel', 'warn'],
    {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit'],
      // Without this, a start in development bundles the larger, slower development build of React.
      env: { ...process.env, NODE_ENV: 'production' },
    },
  );
  onChild(child);
  return new Promise((settle) => child.once('close', settle));
}

const PLACE_TRIES = 50;

/**
 * Installs a build. When two processes do this concurrently, both succeed: the second process finds
 * a build of the same sources and does not replace it, because the first may already serve it.
 */
export async function installBuild(
  folder: string,
  hash: string,
  outFolder = BUILD_FOLDER,
): Promise<void> {
  const stamp = `${outFolder}.sources`;
  const aside = `${folder}.old`;
  for (let attempt = 1; !isBuilt(outFolder, hash); attempt++) {
    try {
      // Only renames happen here, so that readers never find a partial build.
      if (existsSync(outFolder)) renameSync(outFolder, aside);
      renameSync(folder, outFolder);
      writeFileSync(stamp, hash);
      return;
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (attempt === PLACE_TRIES || !LOST_RACE_CODES.has(code)) throw error;
      await delay(Math.random() * 50);
    } finally {
      rmSync(aside, { recursive: true, force: true });
    }
  }
  rmSync(folder, { recursive: true, force: true });
}

/** Error codes of a rename that lost a race; on Windows also while files are open. */
const LOST_RACE_CODES = new Set(['ENOENT', 'ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES']);

export function isBuilt(outFolder: string, hash: string): boolean {
  const stamp = `${outFolder}.sources`;
  return existsSync(outFolder) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash;
}

/**
 * Returns the hash of all files that match the patterns, except tests, server texts and files
 * without an extension.
 */
export function hashOfSources(patterns: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of patterns.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).sort()) {
    if (/\.test\.tsx?$|\.server\.json$/.test(path) || !/\.\w+$/.test(path)) continue;
    hash
      .update(path)
      .update('\0')
      .update(readFileSync(join(ROOT, path)))
      .update('\0');
  }
  return hash.digest('hex');
}

/** Compresses files that the server sends unchanged. */
export async function compress(folder: string): Promise<void> {
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
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
