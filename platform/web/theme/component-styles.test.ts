// Mantine's styles are imported per component: without them a component appears unstyled.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const STYLES = join(ROOT, 'node_modules', '@mantine', 'core', 'styles');
const IMPORT = /import\s*(?:type\s*)?\{([^}]*)\}\s*from '@mantine\/core'/g;
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const stylesIn = (source: string) =>
  new Set(Array.from(source.matchAll(/styles\/(\w+)\.layer\.css/g), ([, name = '']) => name));

test('each file imports the styles of its components that the shared styles lack', () => {
  const styled = new Set(
    globSync('*.layer.css', { cwd: STYLES }).map((file) => file.replace('.layer.css', '')),
  );
  const shared = stylesIn(read('platform/web/theme/mantine.css'));
  expect(shared.size).toBeGreaterThan(40);
  const faults = globSync(['areas/*/web/**/*.tsx', 'platform/web/**/*.tsx'], { cwd: ROOT })
    .filter((file) => !file.includes('.test.'))
    .flatMap((file) => {
      const source = read(file);
      const own = stylesIn(source);
      const used = Array.from(source.matchAll(IMPORT), ([, names = '']) => names)
        .flatMap((names) => names.split(','))
        .map((name) => name.replace(/^\s*(?:type\s+)?|\s+as .*$|\s+$/g, ''))
        .filter((name) => styled.has(name));
      return [
        ...used
          .filter((name) => !shared.has(name) && !own.has(name))
          .map((name) => `${file} lacks the styles of ${name}.`),
        ...[...own]
          .filter((name) => shared.has(name))
          .map((name) => `${file} repeats the styles of ${name}.`),
      ];
    });
  expect(faults).toEqual([]);
});
