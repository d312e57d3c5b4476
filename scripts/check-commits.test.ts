import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { checkCommits } from './check-commits.ts';
import { installCommitHook, subjectViolations } from './commit-message.mjs';

let root: string;

const git = (...args: string[]) =>
  spawnSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@tea.example', ...args], {
    cwd: root,
    encoding: 'utf8',
  });

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'sendloom-commits-'));
  execFileSync('git', ['init', '-q'], { cwd: root });
  await mkdir(join(root, 'scripts'));
  await mkdir(join(root, '.git/hooks'), { recursive: true });
  await cp(
    join(import.meta.dirname, 'commit-message.mjs'),
    join(root, 'scripts/commit-message.mjs'),
  );
});

afterEach(() => rm(root, { recursive: true, force: true }));

it.each([
  'Fix endless redirect of SMS drafts',
  'Speed up counting of segments',
  'Merge branch "main" into sms',
  'Revert "Fix endless redirect of SMS drafts"',
])('the subject "%s" passes', (subject) => {
  expect(subjectViolations(subject)).toEqual([]);
});

it.each([
  'Ask nothing early for what is no id in a page’s address',
  'fix endless redirect',
  'Fix',
  'Fix endless redirect of SMS drafts.',
  `Fix ${'x'.repeat(80)}`,
])('the subject "%s" is refused', (subject) => {
  expect(subjectViolations(subject)).not.toEqual([]);
});

it('the check reports new commits with an invalid subject', () => {
  git('commit', '--allow-empty', '-m', 'Add tea');
  git('commit', '--allow-empty', '-m', 'tea, and more of it');
  expect(checkCommits(root)).toHaveLength(1);
});

it('the installed hook refuses a commit with an invalid subject', () => {
  expect(installCommitHook(root)).toBe('installed');
  expect(git('commit', '--allow-empty', '-m', 'Add tea').status).toBe(0);
  const rejection = git('commit', '--allow-empty', '-m', 'tea');
  expect(rejection.status).not.toBe(0);
  expect(rejection.stderr).toContain('Commit message refused: "tea"');
});

it('a developer’s existing hook is not replaced', () => {
  const file = join(root, '.git/hooks/commit-msg');
  writeFileSync(file, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  expect(installCommitHook(root)).toBe('kept');
  expect(readFileSync(file, 'utf8')).toBe('#!/bin/sh\nexit 0\n');
});
