import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LANGUAGES } from '#platform/languages.ts';
import { findOutdatedTranslations } from './outdated-translations.ts';

const root = mkdtempSync(join(tmpdir(), 'translations-'));
afterAll(() => rmSync(root, { recursive: true }));

function write(language: string, catalog: object): void {
  const path = join(root, 'locales', language, 'groups.json');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(catalog));
}

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@x.example', ...args], {
    cwd: root,
    stdio: 'pipe',
  });

const texts = (word: string) => ({
  title: word,
  state: { open: `${word} open` },
  members_one: `${word} one`,
  members_other: `${word} other`,
});

beforeAll(() => {
  for (const language of LANGUAGES) write(language, texts(language));
  git('init', '-q');
  git('add', '.');
  git('commit', '-q', '--no-verify', '-m', 'Add texts');
});

test('unchanged texts give no warning, nor does a folder outside a Git checkout', () => {
  expect(findOutdatedTranslations(root)).toEqual([]);
  expect(findOutdatedTranslations(join(root, '..', 'absent'))).toEqual([]);
});

test('a changed English text is reported with the languages whose translation is unchanged', () => {
  write('eng', {
    ...texts('eng'),
    title: 'New title',
    state: { open: 'New' },
    members_other: 'New members',
    added: 'Added',
  });
  for (const language of LANGUAGES.filter((name) => name !== 'eng'))
    write(language, {
      ...texts(language),
      ...(language === 'fas' ? {} : { title: `${language} new` }),
      state: { open: `${language} new` },
      members_one: `${language} new one`,
    });
  expect(findOutdatedTranslations(root)).toEqual([
    'locales/eng/groups.json: title changed, but not its translation in fas.',
  ]);
});

test('a changed text with plural forms is reported once', () => {
  write('eng', { ...texts('eng'), members_one: 'New one', members_other: 'New other' });
  for (const language of LANGUAGES.filter((name) => name !== 'eng'))
    write(language, texts(language));
  const names = LANGUAGES.filter((name) => name !== 'eng').join(', ');
  expect(findOutdatedTranslations(root)).toEqual([
    `locales/eng/groups.json: members changed, but not its translation in ${names}.`,
  ]);
});
