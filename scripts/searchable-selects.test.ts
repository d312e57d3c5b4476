// Every searchable select shows "No results found" if nothing matches.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** Returns the opening tags of library selects that are searchable and lack the message. */
const selectsWithoutMessage = (source: string): string[] =>
  [...source.matchAll(/<(?:Multi)?Select\b(?:=>|[^<>]|<\/?[a-z])*/g)]
    .map(([tag]) => tag)
    .filter((tag) => /\bsearchable\b/.test(tag) && !tag.includes('nothingFoundMessage'));

/** The component that all searchable selects use. */
const COMPONENT = 'platform/web/ui/searchable-select.tsx';

test('every searchable select uses the shared component', () => {
  const files = globSync(['areas/*/web/**/*.tsx', 'platform/web/**/*.tsx'], { cwd: ROOT });
  const otherFiles = files.filter(
    (file) =>
      file !== COMPONENT &&
      !/\.test\.tsx$/.test(file) &&
      /^\s+searchable(?:=\{true\})?$|<(?:Multi)?Select\b[^<>]* searchable\b/m.test(
        readFileSync(join(ROOT, file), 'utf8'),
      ),
  );
  expect(otherFiles).toEqual([]);
});

test('every searchable select has a message for no matches', () => {
  const files = globSync(['areas/*/web/**/*.tsx', 'platform/web/**/*.tsx'], { cwd: ROOT });
  expect(files.length).toBeGreaterThan(200);
  const violationingFiles = files.filter(
    (file) => selectsWithoutMessage(readFileSync(join(ROOT, file), 'utf8')).length > 0,
  );
  expect(violationingFiles).toEqual([]);
});

test.each([
  '<Select label={t("x")} searchable data={data} />',
  '<MultiSelect\n  onChange={(value) => set(value)}\n  searchable\n/>',
])('a select without a message is reported: %s', (source) => {
  expect(selectsWithoutMessage(source)).toHaveLength(1);
});

test.each([
  '<Select label={t("x")} data={data} />',
  '<SearchableSelect data={data} />',
  '<Select searchable onChange={(value) => set(value)} nothingFoundMessage={t("none")} />',
])('a select with a message, or without search, passes: %s', (source) => {
  expect(selectsWithoutMessage(source)).toEqual([]);
});
