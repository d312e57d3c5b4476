// `npm run release -- 0.1.0`: prepares a release in a clean checkout: the version, the section of
// CHANGELOG.md, the schema for the next version's check, one commit and one tag. Nothing is pushed;
// pushing the tag starts the release workflow. `npm run release -- files <folder>` builds the files
// of the checked-out version, as the workflow does (release-files.ts).
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setChartVersion } from './chart.ts';
import { writeReleaseFiles } from './release-files.ts';

const VERSION = /^\d{1,4}\.\d{1,4}\.\d{1,4}(?:-(?:alpha|beta|rc)\.\d{1,3})?$/;
const UNRELEASED = /^## (\S+) \(unreleased\)$/m;
const OPERATORS = '### Operators must';

/** An expected error: its message is printed without a stack. */
class NotReady extends Error {}

export type PreparedRelease = { version: string; tag: string; notes: string };

/** @param writeSchema writes migrations/last-release.json of the new version */
export async function prepareRelease(
  root: string,
  version: string,
  date: string,
  writeSchema: () => Promise<void>,
): Promise<PreparedRelease> {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const tag = `v${version}`;
  if (!VERSION.test(version)) throw new NotReady(`${version} is not a version such as 1.2.3.`);
  if (git('status', '--porcelain', '--untracked-files=no') !== '')
    throw new NotReady('The checkout has changes: commit them first.');
  if (git('tag', '--list', tag) !== '') throw new NotReady(`${tag} already exists.`);
  const changelog = closeChangelogSection(
    readFileSync(join(root, 'CHANGELOG.md'), 'utf8'),
    version,
    date,
  );
  const chart = setChartVersion(root, setVersion(root, version), version);
  writeFileSync(join(root, 'CHANGELOG.md'), changelog);
  await writeSchema();
  const changedFiles = [
    'package.json',
    'package-lock.json',
    'CHANGELOG.md',
    'migrations/last-release.json',
  ];
  git('add', ...changedFiles, ...chart);
  git('commit', '--quiet', '--message', `Release ${version}`);
  const notes = readNotes(changelog, version);
  // A line of Markdown that begins with # is not a comment.
  git(
    'tag',
    '--annotate',
    '--cleanup=verbatim',
    tag,
    '--message',
    `Sendloom ${version}\n\n${notes}`,
  );
  return { version, tag, notes };
}

/** Returns the changelog with the date of the release instead of "unreleased". */
export function closeChangelogSection(text: string, version: string, date: string): string {
  const heading = UNRELEASED.exec(text);
  if (!heading) throw new NotReady(`CHANGELOG.md has no heading '## ${version} (unreleased)'.`);
  if (heading[1] !== version)
    throw new NotReady(`CHANGELOG.md describes ${heading[1]}, not ${version}.`);
  const releasedText = text.replace(heading[0], `## ${version} (${date})`);
  if (!readNotes(releasedText, version).includes(OPERATORS))
    throw new NotReady(
      `The section of ${version} in CHANGELOG.md has no part '${OPERATORS}'. If an upgrade needs nothing, it says so.`,
    );
  return releasedText;
}

/** Returns the section of a version, without its heading. */
export function readNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^(?=## )/m);
  const section = sections.find((versionPart) => versionPart.startsWith(`## ${version} `)) ?? '';
  return section.split('\n').slice(1).join('\n').trim();
}

/** Sets the version in both files and changes nothing else. Returns the previous version. */
function setVersion(root: string, version: string): string {
  let previous = '';
  for (const file of ['package.json', 'package-lock.json']) {
    const path = join(root, file);
    const text = readFileSync(path, 'utf8');
    const product = JSON.parse(text) as {
      version: string;
      packages?: Record<string, { version?: string }>;
    };
    previous = product.version;
    product.version = version;
    const rootPackage = product.packages?.[''];
    if (rootPackage) rootPackage.version = version;
    writeFileSync(path, `${JSON.stringify(product, null, 2)}\n`);
  }
  return previous;
}

async function main([command = '', folder]: string[]): Promise<void> {
  const root = join(import.meta.dirname, '..');
  if (command === 'files') {
    const files = await writeReleaseFiles(root, folder ?? join(root, 'dist', 'release'));
    console.log(files.join('\n'));
    return;
  }
  const date = new Date().toISOString().slice(0, 10);
  const writeSchema = async () => {
    const generate = join(root, 'scripts', 'generate.ts');
    execFileSync(process.execPath, [generate, '--release'], { cwd: root, stdio: 'inherit' });
  };
  const { tag } = await prepareRelease(root, command, date, writeSchema);
  console.log(`${tag} is prepared. Review it with git show ${tag}, then push it:
  git push origin HEAD ${tag}
The release workflow builds and signs the archive and the image. To undo: git tag -d ${tag} && git reset --hard HEAD~1`);
}

if (import.meta.main) {
  try {
    await main(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof NotReady)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
