// Whoever types into a select that searches is told where nothing fits: "No results found", in every one of them.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** Selects of the library that search and say nothing: by the opening tag of each. */
const silentOnes = (source: string): string[] =>
  [...source.matchAll(/<(?:Multi)?Select\b(?:=>|[^<>]|<\/?[a-z])*/g)]
    .map(([tag]) => tag)
    .filter((tag) => /\bsearchable\b/.test(tag) && !tag.includes('nothingFoundMessage'));

/** The component that all searching selects are. */
const COMPONENT = 'platform/web/ui/searchable-select.tsx';

test('every select that searches is the searchable select', () => {
  const files = globSync(['areas/*/web/**/*.tsx', 'platform/web/**/*.tsx'], { cwd: ROOT });
  const others = files.filter(
    (file) =>
      file !== COMPONENT &&
      !/\.test\.tsx$/.test(file) &&
      /^\s+searchable(?:=\{true\})?$|<(?:Multi)?Select\b[^<>]* searchable\b/m.test(
        readFileSync(join(ROOT, file), 'utf8'),
      ),
  );
  expect(others).toEqual([]);
});

test('no select searches in silence', () => {
  const files = globSync(['areas/*/web/**/*.tsx', 'platform/web/**/*.tsx'], { cwd: ROOT });
  expect(files.length).toBeGreaterThan(200);
  const found = files.filter(
    (file) => silentOnes(readFileSync(join(ROOT, file), 'utf8')).length > 0,
  );
  expect(found).toEqual([]);
});

test.each([
  '<Select label={t("x")} searchable data={data} />',
  '<MultiSelect\n  onChange={(value) => set(value)}\n  searchable\n/>',
])('a silent one is found: %s', (source) => {
  expect(silentOnes(source)).toHaveLength(1);
});

test.each([
  '<Select label={t("x")} data={data} />',
  '<SearchableSelect data={data} />',
  '<Select searchable onChange={(value) => set(value)} nothingFoundMessage={t("none")} />',
])('one that speaks, or does not search, is let be: %s', (source) => {
  expect(silentOnes(source)).toEqual([]);
});
