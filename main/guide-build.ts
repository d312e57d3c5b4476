// Builds the user guide from docs/ into dist/guide. This happens in `npm run build`, or at the
// first request for one of the guide's pages, but never when the product starts.
import { spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { compress, hashOfSources, isBuilt, installBuild } from './client-build.ts';

const ROOT = join(import.meta.dirname, '..');
export const GUIDE_FOLDER = join(ROOT, 'dist', 'guide');
const GENERATOR = join(ROOT, 'node_modules', 'vitepress', 'bin', 'vitepress.js');
const SOURCES = [
  'docs/.vitepress/*.ts',
  'docs/.vitepress/theme/*',
  'docs/*.md',
  'docs/{guide,operations,api}/**/*.{md,webp,svg}',
  'package-lock.json',
];

/** Returns whether a build is due and possible: a production install has no generator. */
export function isGuideStale(): boolean {
  return existsSync(GENERATOR) && !isBuilt(GUIDE_FOLDER, hashOfSources(SOURCES));
}

/**
 * Builds into a temporary folder and then renames it. Two concurrent builds disturb each other: a
 * failed build is treated as successful if the other one has put the same pages in place.
 */
export async function buildGuide(): Promise<void> {
  const hash = hashOfSources(SOURCES);
  const folder = `${GUIDE_FOLDER}.${process.pid}`;
  const output = await generate(folder);
  if (output !== undefined) {
    rmSync(folder, { recursive: true, force: true });
    if (isBuilt(GUIDE_FOLDER, hash)) return;
    throw new Error(`The guide could not be built: ${output}`);
  }
  await compress(folder);
  await installBuild(folder, hash, GUIDE_FOLDER);
}

/** Returns the output of a build that failed. */
async function generate(folder: string): Promise<string | undefined> {
  const child = spawn(process.execPath, [GENERATOR, 'build', 'docs'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_ENV: 'production', GUIDE_FOLDER: folder },
  });
  // The low priority keeps the build from slowing down requests and jobs on this machine.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  const output: Buffer[] = [];
  child.stdout.on('data', (data: Buffer) => output.push(data));
  child.stderr.on('data', (data: Buffer) => output.push(data));
  const code = await new Promise((settle) => child.once('close', settle));
  return code === 0 ? undefined : Buffer.concat(output).toString();
}
