// The files of a release: an archive of the sources with the built web client, which `npm start` runs
// without building, a list of its parts (SBOM, CycloneDX) and checksums.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shippedVersions } from './notice.ts';

type Build = () => Promise<void>;

/** Loaded on demand: it needs the packages of the build. */
const buildCurrentClient: Build = async () => {
  const { buildClient, isClientStale } = await import('../main/client-build.ts');
  if (isClientStale()) await buildClient();
};

/**
 * Writes the files of the commit that is checked out, and returns their names.
 * @param build builds the web client into dist/web
 */
export async function writeReleaseFiles(
  root: string,
  folder: string,
  build: Build = buildCurrentClient,
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
    for (const path of ['dist/web', 'dist/web.sources'])
      cpSync(join(root, path), join(tree, path), { recursive: true });
    // The start then installs what runs, without the tools of the build (install.mjs).
    writeFileSync(join(tree, 'release.json'), `${JSON.stringify({ version, commit, date })}\n`);
    const archive = join(folder, `${name}.tar.gz`);
    run('tar', [...sameBytes(date), '-czf', archive, '-C', work, name]);
    const sbom = join(folder, `${name}.cdx.json`);
    writeFileSync(sbom, sbomOf(root, run));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  const files = [`${name}.tar.gz`, `${name}.cdx.json`];
  writeFileSync(join(folder, 'SHA256SUMS'), files.map((file) => sumOf(folder, file)).join(''));
  return [...files, 'SHA256SUMS'];
}

/** Equal sources result in equal archives. */
const sameBytes = (date: string) => [
  '--sort=name',
  `--mtime=${date}`,
  '--owner=0',
  '--group=0',
  '--numeric-owner',
];

/** In the format of sha256sum. */
function sumOf(folder: string, file: string): string {
  const hash = createHash('sha256').update(readFileSync(join(folder, file))).digest('hex');
  return `${hash}  ${file}\n`;
}

type Bom = {
  metadata: { component: { name: string; type: string } };
  components: { 'bom-ref': string; name: string; group?: string; version: string }[];
  dependencies: { ref: string; dependsOn: string[] }[];
};

/** Of the packages that an installation contains: those that run, and those in the client. */
function sbomOf(root: string, run: (program: string, args: string[], cwd?: string) => string) {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const bom = JSON.parse(
    run(npm, ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'], root),
  ) as Bom;
  const shipped = shippedVersions();
  Object.assign(bom.metadata.component, { name: 'sendloom', type: 'application' });
  bom.components = bom.components.filter(({ name, group, version }) =>
    shipped.has(`${group ? `${group}/` : ''}${name}@${version}`),
  );
  const refs = new Set(bom.components.map((component) => component['bom-ref']));
  bom.dependencies = bom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((to) => refs.has(to)) }));
  return `${JSON.stringify(bom, null, 2)}\n`;
}
