// Unpacks the last release so that it can run: the tag of the version in
// migrations/last-release.json. While that tag does not exist, the tag baseline-<version> is used,
// or else the newest commit with exactly the migrations of that version. RELEASE=<tag or commit>
// selects another commit.
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { readMigrations, findIncompatibility } from '#platform/server/migrations/migrate.ts';
import { install, staleness } from '../../scripts/install.mjs';
import { readRelease } from '../../scripts/release-schema.ts';
import type { Print } from '../kit.ts';

const ROOT = join(import.meta.dirname, '../..');

export type UnpackedRelease = {
  root: string;
  node: string;
  /** Name of the release in the report. */
  name: string;
};

/** No release can be unpacked; the message is a sentence for the report. */
export class NoRelease extends Error {}

/** @throws NoRelease */
export async function unpackRelease(folder: string, print: Print): Promise<UnpackedRelease> {
  const commit = await commitOfRelease(folder, print);
  const root = join(folder, 'release');
  unpack(commit, root, []);
  const modules = join(ROOT, 'node_modules');
  // The release's pinned packages are usually installed already, because libraries rarely change
  // between releases.
  const missing = staleness(root, modules);
  if (missing) print(`the release pins other libraries (${missing}): npm installs them`);
  else symlinkSync(modules, join(root, 'node_modules'));
  const node = missing ? install(root) : process.execPath;
  return { root, node, name: git('log', '-1', '--format=%h of %cs', commit) };
}

async function commitOfRelease(folder: string, print: Print): Promise<string> {
  const { version, migrations } = readRelease();
  const { RELEASE } = process.env;
  if (RELEASE !== undefined) return commitOf(RELEASE);
  const tag = [`v${version}`, `baseline-${version}`].find(isTagged);
  if (tag !== undefined) return commitOf(tag);
  print(`no tag v${version}: starting from the newest commit with the migrations of ${version}`);
  const expectedMigrations = migrations.join('\n');
  for (const commit of git('log', '--format=%H', '--', 'migrations').split('\n')) {
    const names = git('ls-tree', '--name-only', commit, 'migrations/').split('\n');
    const sql = names.filter((name) => name.endsWith('.sql')).map((name) => name.slice(11));
    if (sql.join('\n') === expectedMigrations && (await canBeUpgraded(commit, folder)))
      return commit;
  }
  throw new NoRelease(
    `This checkout has neither the tag v${version} nor a commit with its migrations: run 'git fetch --tags', or set RELEASE to a tag or commit.`,
  );
}

const isTagged = (tag: string) => git('tag', '--list', tag) !== '';

function commitOf(name: string): string {
  try {
    return git('rev-parse', '--verify', '--quiet', `${name}^{commit}`);
  } catch {
    throw new NoRelease(`RELEASE=${name} is not a tag or commit of this checkout.`);
  }
}

/**
 * A migration that was corrected before its release blocks upgrades from commits before the
 * correction.
 */
async function canBeUpgraded(commit: string, folder: string): Promise<boolean> {
  const root = join(folder, commit);
  unpack(commit, root, ['migrations']);
  const refusal = await findIncompatibility(await readMigrations(join(root, 'migrations')));
  return refusal === undefined;
}

function unpack(commit: string, root: string, paths: string[]): void {
  mkdirSync(root, { recursive: true });
  const archive = execFileSync('git', ['archive', commit, ...paths], {
    cwd: ROOT,
    maxBuffer: 1 << 30,
  });
  execFileSync('tar', ['-x', '-C', root], { input: archive });
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 26 }).trim();
}
