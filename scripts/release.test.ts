// Prepares and builds a release in a clone of this repository: the commit, the tag, the archive,
// the list of parts and the checksums. Also checks the release workflow and the health check of the
// image.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { subjectViolations } from './commit-message.mjs';
import { CHART_FILE, renderNote } from './chart.ts';
import { readNotes, prepareRelease, closeChangelogSection } from './release.ts';
import { writeReleaseFiles } from './release-files.ts';

const ROOT = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'sendloom-release-test-'));
const clone = join(folder, 'clone');
const DATE = '2026-12-01';

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: clone, encoding: 'utf8' }).trim();
const readText = (path: string) => readFileSync(join(clone, path), 'utf8');
const CHANGELOG = `# Changelog

## 9.9.9 (unreleased)

### Operators must

- Do nothing.

## 0.0.1 (2026-01-01)

### Added

- Everything.
`;

beforeAll(() => {
  execFileSync('git', ['clone', '--quiet', '--shared', ROOT, clone]);
  git('config', 'user.name', 'Test');
  git('config', 'user.email', 'test@shop.example');
  writeFileSync(join(clone, 'CHANGELOG.md'), CHANGELOG);
  git('commit', '--quiet', '--all', '--message', 'Change the changelog');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const prepare = (version = '9.9.9') =>
  prepareRelease(clone, version, DATE, async () =>
    writeFileSync(join(clone, 'migrations/last-release.json'), '{"version":"9.9.9"}\n'),
  );

test('a release is one commit and one tag with its notes, and remains local', async () => {
  const headBefore = git('rev-parse', 'HEAD');
  const lock = JSON.parse(readText('package-lock.json'));
  writeFileSync(join(clone, 'README.md'), 'changed');
  await expect(prepare()).rejects.toThrow('The checkout has changes');
  git('checkout', '--quiet', 'README.md');
  await expect(prepare('9.9')).rejects.toThrow('is not a version');
  await expect(prepare('9.9.8')).rejects.toThrow('describes 9.9.9, not 9.9.8');
  expect(git('status', '--porcelain')).toBe('');

  const { tag, notes } = await prepare();
  expect(tag).toBe('v9.9.9');
  expect(notes).toBe('### Operators must\n\n- Do nothing.');
  expect(git('rev-parse', 'HEAD~1')).toBe(headBefore);
  expect(git('rev-parse', 'v9.9.9^{commit}')).toBe(git('rev-parse', 'HEAD'));
  expect(git('tag', '--list', '--format=%(contents:body)', tag)).toBe(notes);
  expect(subjectViolations(git('log', '-1', '--format=%s'))).toEqual([]);
  expect(git('diff', '--name-only', 'HEAD~1').split('\n')).toEqual([
    'CHANGELOG.md',
    CHART_FILE,
    'docs/operations/kubernetes/sendloom.yaml',
    'migrations/last-release.json',
    'package-lock.json',
    'package.json',
    'testing/kubernetes-all-options.yaml',
  ]);
  expect(parse(readText(CHART_FILE))).toMatchObject({ version: '9.9.9', appVersion: '9.9.9' });
  const manifests = readText('docs/operations/kubernetes/sendloom.yaml');
  expect(manifests).toContain('/sendloom:9.9.9"');
  expect(manifests.startsWith(renderNote(clone))).toBe(true);
  // The API version of each manifest is not changed to the product's version.
  expect(manifests).toContain('apiVersion: apps/v1\n');
  expect(readText('CHANGELOG.md')).toContain(`## 9.9.9 (${DATE})\n`);
  expect(JSON.parse(readText('package.json')).version).toBe('9.9.9');
  const releasedLock = JSON.parse(readText('package-lock.json'));
  expect([releasedLock.version, releasedLock.packages[''].version]).toEqual(['9.9.9', '9.9.9']);
  expect(Object.keys(releasedLock.packages)).toEqual(Object.keys(lock.packages));
  await expect(prepare()).rejects.toThrow('v9.9.9 already exists');
  expect(execFileSync('git', ['tag', '--list', tag], { cwd: ROOT, encoding: 'utf8' })).toBe('');
});

test('a changelog for another version, or without a section for operators, is refused', () => {
  const withoutSection = CHANGELOG.replace('### Operators must', '### Fixed');
  expect(() => closeChangelogSection(withoutSection, '9.9.9', DATE)).toThrow('Operators must');
  expect(() => closeChangelogSection('# Changelog\n', '9.9.9', DATE)).toThrow('has no heading');
  expect(readNotes(CHANGELOG, '0.0.1')).toBe('### Added\n\n- Everything.');
  const currentChangelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
  const [, version = ''] = /^## (\S+) \(/m.exec(currentChangelog) ?? [];
  expect(readNotes(currentChangelog, version)).toContain('### Operators must');
});

test('the archive contains the built client, and the list of parts and the checksums are correct', async () => {
  const target = join(folder, 'files');
  const build = async () => {
    for (const section of ['web', 'guide']) {
      mkdirSync(join(clone, 'dist', section), { recursive: true });
      writeFileSync(join(clone, 'dist', section, 'index.html'), `<title>${section}</title>`);
      writeFileSync(join(clone, 'dist', `${section}.sources`), 'hash');
    }
  };
  const files = await writeReleaseFiles(clone, target, build);
  const { version } = JSON.parse(readText('package.json')) as { version: string };
  const name = `sendloom-${version}`;
  expect(files).toEqual([`${name}.tar.gz`, `${name}.cdx.json`, 'SHA256SUMS']);
  execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: target });

  execFileSync('tar', ['-xzf', join(target, `${name}.tar.gz`), '-C', folder]);
  const readUnpacked = (path: string) => readFileSync(join(folder, name, path), 'utf8');
  expect(readUnpacked('dist/web/index.html')).toBe('<title>web</title>');
  expect(readUnpacked('dist/guide/index.html')).toBe('<title>guide</title>');
  expect(JSON.parse(readUnpacked('release.json'))).toMatchObject({
    version,
    commit: git('rev-parse', 'HEAD'),
  });
  for (const path of ['main/start.ts', 'scripts/run.mjs', 'package-lock.json', 'LICENSE', 'NOTICE'])
    expect(readUnpacked(path)).toBe(readText(path));
  expect(() => readUnpacked('.git/HEAD')).toThrow();

  const bom = JSON.parse(readFileSync(join(target, `${name}.cdx.json`), 'utf8'));
  expect([bom.bomFormat, bom.metadata.component.name]).toEqual(['CycloneDX', 'sendloom']);
  const names = bom.components.map((component: { name: string }) => component.name);
  // The list contains packages of the server and of the client, and no build tools.
  expect(names).toEqual(expect.arrayContaining(['fastify', 'react']));
  expect(names).not.toContain('vitest');
  const fastify = bom.components.find(
    (component: { name: string }) => component.name === 'fastify',
  );
  expect(fastify).toMatchObject({ licenses: [{ expression: 'MIT' }] });
  expect(fastify.purl).toBe(`pkg:npm/fastify@${fastify.version}`);
  expect(fastify.hashes[0].content).toMatch(/^[0-9a-f]{128}$/);
});

type CiStep = { uses?: string; run?: string };

test('the workflow builds the prepared release and signs it without a stored key', () => {
  const { on, jobs, permissions } = parse(
    readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8'),
  ) as {
    on: { push: { tags: string[] } };
    permissions: Record<string, string>;
    jobs: Record<string, { needs?: string; permissions?: Record<string, string>; steps: CiStep[] }>;
  };
  expect(on.push.tags).toEqual(['v*']);
  expect(permissions).toEqual({ contents: 'read' });
  const runs = (job: string) => jobs[job]?.steps.map(({ run = '' }) => run).join('\n') ?? '';
  expect(runs('test')).toContain('.ci/run');
  expect(runs('files')).toContain('npm run release -- files');
  for (const job of ['files', 'image']) {
    expect(jobs[job]?.needs).toBe('test');
    expect(jobs[job]?.permissions?.['id-token']).toBe('write');
    expect(runs(job)).toContain('cosign sign');
    for (const { uses } of jobs[job]?.steps ?? []) {
      if (uses) expect(uses).toMatch(/@(v\d+|[0-9a-f]{40})$/);
    }
  }
  const text = JSON.stringify(jobs.image);
  const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  for (const [, name] of text.matchAll(/\\n([A-Z_]+)=/g))
    expect(dockerfile).toContain(`ARG ${name}`);
  expect(text).toContain('linux/amd64,linux/arm64');
});

test('the image’s health check does not need Node and reports the response status', async () => {
  let status = 200;
  const server = createServer((_, response) => response.writeHead(status).end('{}'));
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  const { port } = server.address() as AddressInfo;
  const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  const [, command = '[]'] = /^HEALTHCHECK[^[]*CMD (\[.*\])$/m.exec(dockerfile) ?? [];
  const [program = '', ...args] = JSON.parse(command) as string[];
  const check = async (metricsPort: number) => {
    const env = { ...process.env, METRICS_PORT: String(metricsPort) };
    const [code] = await once(spawn(program, args, { env, stdio: 'ignore' }), 'exit');
    return code === 0;
  };
  expect(program).toBe('bash');
  expect(await check(port)).toBe(true);
  status = 503;
  expect(await check(port)).toBe(false);
  await new Promise((settle) => server.close(settle));
  expect(await check(port)).toBe(false);
});
