// The palette lists each entry once, with the best match first.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listLanguageNames } from './language-names.ts';
import { foldText, rankItems, computeRank } from './rank.ts';

const item = (label: string, overrides: { id?: string; to?: string; keywords?: string } = {}) => ({
  id: label,
  label,
  ...overrides,
});

describe('rankItems', () => {
  it('orders exact names before prefixes, words, parts and synonyms', () => {
    const commands = [
      item('Export', { keywords: 'forms' }),
      item('Platforms'),
      item('New forms'),
      item('Forms of stores'),
      item('Forms'),
      item('Users'),
    ];
    expect(rankItems(commands, [], 'forms').map(({ label }) => label)).toEqual([
      'Forms',
      'Forms of stores',
      'New forms',
      'Platforms',
      'Export',
    ]);
  });

  it('shows an object with the exact name before a command that contains it', () => {
    const foundItems = [item('Spring'), item('What the server found')];
    const labels = rankItems([item('Offspring')], foundItems, 'spring').map(({ label }) => label);
    expect(labels).toEqual(['Spring', 'Offspring', 'What the server found']);
  });

  it('lists each URL once per name, and each ID once', () => {
    const duplicates = [
      item('Users', { id: 'a', to: '/settings/users' }),
      item('users', { id: 'b', to: '/settings/users' }),
      item('Invite', { id: 'c', to: '/settings/users' }),
      item('Other', { id: 'c' }),
    ];
    expect(rankItems(duplicates, [], '').map(({ label }) => label)).toEqual(['Users', 'Invite']);
  });

  it('finds a language by its name in every language', () => {
    for (const name of ['norwegian', 'norsk', 'norvegų', 'نروژی', 'norvēģu', 'nb', 'nor'])
      expect(foldText(listLanguageNames('nor'))).toContain(foldText(name));
    for (const name of ['persian', 'farsi', 'persiska', 'فارسی', 'persų'])
      expect(foldText(listLanguageNames('fas'))).toContain(foldText(name));
  });

  it('ignores accents and case and lists only matching entries, each once and by rank', () => {
    expect(computeRank(item('Įrašas'), foldText('IRAS'))).toBe(1);
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 6 })),
        fc.string({ maxLength: 3 }),
        (labels, term) => {
          const rankedItems = rankItems(
            labels.map((label) => item(label)),
            [],
            term,
          );
          expect(new Set(rankedItems.map(({ id }) => id)).size).toBe(rankedItems.length);
          if (foldText(term) === '') return;
          const ranks = rankedItems.map((item) => computeRank(item, foldText(term)) ?? -1);
          expect(ranks).not.toContain(-1);
          expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
        },
      ),
    );
  });
});
