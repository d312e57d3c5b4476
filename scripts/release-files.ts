// Writes the files of a release: an archive of the sources with the built web client and user
// guide, which `npm start` runs without a build; a list of its parts (SBOM, CycloneDX); and
// checksums.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ShippedPart, listShippedParts } from './notice.ts';

type Build = () => Promise<void>;

/** Loaded on demand because it needs the packages of the build. */
const buildAll: Build = async () => void (await import('./build.ts'));

/** The results of a build: the web client, the user guide, and the hashes of their sources. */
const BUILT_FOLDERS = ['dist/web', 'dist/web.sources', 'dist/guide', 'dist/guide.sources'];

/**
 * Writes the files of the checked-out commit and returns their names.
 * @param build builds the web client and the user guide into dist
 */
export async function writeReleaseFiles(
  root: string,
  folder: string,
  build: Build = buildAll,
): Promise<string[]> {
  const run = (program: string, args: string[], cwd = root) =>
    execFileSync(program, args, { cwd, encoding: 'utf8', maxBuffer: 1 << 28 });
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    version: string;
  };
  const name = `sendloom-${version}`;
  await build();
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(join(tmpdir(), 'sendloom-release-'));
  try {
    const commit = run('git', ['rev-parse', 'HEAD']).trim();
    const date = run('git', ['log', '-1', '--format=%cI']).trim();
    const tree = join(work, name);
    mkdirSync(tree);
    const sources = join(work, 'sources.tar');
    run('git', ['archive', '--format=tar', '--output', sources, 'HEAD']);
    run('tar', ['-xf', sources, '-C', tree]);
    for (const path of BUILT_FOLDERS)
      cpSync(join(root, path), join(tree, path), { recursive: true });
    // `npm start` then installs only the packages needed to run, without build tools (install.mjs).
    writeFileSync(join(tree, 'release.json'), `${JSON.stringify({ version, commit, date })}\n`);
    const archive = join(folder, `${name}.tar.gz`);
    run('tar', [...reproducibleOptions(date), '-czf', archive, '-C', work, name]);
    const sbom = join(folder, `${name}.cdx.json`);
    writeFileSync(sbom, sbomOf(version, date));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  const files = [`${name}.tar.gz`, `${name}.cdx.json`];
  writeFileSync(join(folder, 'SHA256SUMS'), files.map((file) => sumOf(folder, file)).join(''));
  return [...files, 'SHA256SUMS'];
}

/** Returns tar options for reproducible archives: the same sources result in the same archive. */
const reproducibleOptions = (date: string) => [
  '--sort=name',
  `--mtime=${date}`,
  '--owner=0',
  '--group=0',
  '--numeric-owner',
];

/** Returns a line in the format of sha256sum. */
function sumOf(folder: string, file: string): string {
  const hash = createHash('sha256')
    .update(readFileSync(join(folder, file)))
    .digest('hex');
  return `${hash}  ${file}\n`;
}

/**
 * Returns a CycloneDX list of the packages that an installation contains, including the web
 * client's.
 */
function sbomOf(version: string, date: string): string {
  const root = { type: 'application', name: 'sendloom', version, 'bom-ref': `sendloom@${version}` };
  const bom = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      timestamp: new Date(date).toISOString(),
      component: { ...root, licenses: [{ license: { id: 'AGPL-3.0-only' } }] },
    },
    components: listShippedParts().map(componentOf),
  };
  return `${JSON.stringify(bom, null, 2)}\n`;
}

function componentOf({ name, version, license, integrity }: ShippedPart) {
  const [, group, plain = name] = /^(@[^/]+)\/(.+)$/.exec(name) ?? [];
  const [, hash] = /^sha512-(.+)$/.exec(integrity) ?? [];
  return {
    type: 'library',
    'bom-ref': `${name}@${version}`,
    ...(group && { group }),
    name: plain,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    licenses: [{ expression: license }],
    ...(hash && {
      hashes: [{ alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') }],
    }),
  };
}
