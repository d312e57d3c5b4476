// A screen may replace its content with a loading error only while it has no data: after a failed
// refetch the data or the user's input must remain. `isError` and `error` are also set after a
// failed refetch; `isLoadingError` is not.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

const LOADED_ONCE = 'a document that is saved automatically is loaded once and never refetched';

/** Allowed exceptions with reasons. */
const exceptions: Record<string, string> = {
  'areas/broadcasts/web/recipient-count.tsx':
    'the count before a change would be taken for the count after it',
  'areas/content/web/composing/document-editor.tsx': LOADED_ONCE,
  'areas/content/web/composing/editor-frame.tsx': LOADED_ONCE,
};

/** Returns the names of queries whose data a loading error may replace after a failed refetch. */
function violationsOf(source: string): string[] {
  return source.split(/^(?:export )?(?:default )?function /m).flatMap((fragment) =>
    [...fragment.matchAll(/<FailedState\b[^>]*?\berror=\{(\w+)\.error\}/g)].flatMap(
      ({ 1: query, index }) => {
        const precedingText = fragment.slice(0, index);
        const isChecked = new RegExp(
          `\\b${query}(\\.isLoadingError\\b|\\.data(\\)| \\?| !== undefined))|!${query}\\.data\\b`,
        ).test(precedingText);
        return isChecked ? [] : [String(query)];
      },
    ),
  );
}

test('screens keep their data when a refetch fails', () => {
  const files = globSync(['areas/*/web/**/*.tsx', 'platform/web/**/*.tsx'], { cwd: ROOT })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !file.includes('.test.') && !(file in exceptions));
  expect(files.length).toBeGreaterThan(200);
  const violations = files.flatMap((file) =>
    violationsOf(readFileSync(join(ROOT, file), 'utf8')).map((query) => `${file}: ${query}`),
  );
  expect(violations).toEqual([]);
});

test.each([
  ['if (thing.error) return <FailedState error={thing.error} />;', ['thing']],
  ['if (thing.isError) {\n    return <FailedState isPage error={thing.error} />;', ['thing']],
  [
    'const data = thing.data?.data;\nif (thing.isError) <FailedState error={thing.error} />',
    ['thing'],
  ],
  ['if (thing.isLoadingError) return <FailedState error={thing.error} />;', []],
  ['if (thing.error && !thing.data) return <FailedState error={thing.error} />;', []],
  ['{thing.data ? <A /> : thing.isError ? <FailedState error={thing.error} /> : null}', []],
])('%s has the violations %j', (source, violations) => {
  expect(violationsOf(`function Screen() {\n${source}\n}`)).toEqual(violations);
});
