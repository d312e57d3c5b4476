// Mantine's components import their styles, and all styles use only variables of Mantine that exist.
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } from '@mantine/core';
import { expect, test } from 'vitest';
import { cssVariables, theme } from '#platform/web/theme/theme.ts';
import product from '../../package.json' with { type: 'json' };
import { withStyles } from './component-styles.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const require = createRequire(import.meta.url);
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const styled = (file: string) => withStyles(read(file), join(ROOT, file)) ?? '';

const LIBRARIES = Object.keys(product.devDependencies).filter((name) =>
  name.startsWith('@mantine/'),
);
const CLASS_NAMES = LIBRARIES.flatMap((name) =>
  globSync(`node_modules/${name}/esm/**/*.module.mjs`, { cwd: ROOT }),
);
/** Components that no screen uses. */
const UNUSED = new Set(['Typography.layer.css']);

const classesIn = (text: string) => new Set(text.match(/\bm_[0-9a-f]+\b/g));

test('each component of Mantine with class names imports its styles', () => {
  expect(CLASS_NAMES.length).toBeGreaterThan(80);
  const faults = CLASS_NAMES.flatMap((file) => {
    const code = styled(file);
    const [, styles = ''] = /^import '([^']+)';/.exec(code) ?? [];
    if (styles === '') return [`${file} imports no styles.`];
    const present = classesIn(readFileSync(require.resolve(styles), 'utf8'));
    // Some classes only mark an element.
    return classesIn(code).isDisjointFrom(present) ? [`${styles} has none of ${file}.`] : [];
  });
  expect(faults).toEqual([]);
});

/** Variables that the pattern finds, such as `--mantine-color-text`. */
const namesOf = (text: string, pattern: RegExp) =>
  Array.from(text.matchAll(pattern), ([, name = '']) => name);

/** The variables that the provider writes into the page: those that differ from the defaults. */
function themeVariables(): [name: string, value: string][] {
  const merged = mergeMantineTheme(DEFAULT_THEME, theme);
  const own = cssVariables(merged);
  const all = defaultCssVariablesResolver(merged);
  const defaults = defaultCssVariablesResolver(DEFAULT_THEME);
  return (['variables', 'light', 'dark'] as const).flatMap((part) => {
    const usual = new Map(Object.entries(defaults[part]));
    return Object.entries({ ...all[part], ...own[part] }).filter(
      ([name, value]) => usual.get(name) !== value,
    );
  });
}

/** Adds the variables of the theme whose values refer only to defined variables. */
function withTheme(defined: Set<string>): Set<string> {
  const all = themeVariables();
  for (let added = true; added; ) {
    const ready = all.filter(
      ([name, value]) =>
        !defined.has(name) && namesOf(value, USED).every((used) => defined.has(used)),
    );
    added = ready.length > 0;
    for (const [name] of ready) defined.add(name);
  }
  return defined;
}

test('the styles use only variables of Mantine that are defined', () => {
  const ours = globSync('{areas/*,platform}/web/**/*.css', { cwd: ROOT });
  const theirs = globSync(
    'node_modules/@mantine/{core/styles/*.layer.css,{dates,notifications,nprogress}/styles.layer.css}',
    { cwd: ROOT },
  ).filter((file) => !UNUSED.has(basename(file)));
  const texts = new Map([
    ...ours.map((file) => [file, read(file)] as const),
    ...theirs.map((file) => [file, styled(file)] as const),
  ]);
  const setByStyles = Array.from(texts.values(), (text) => namesOf(text, SET)).flat();
  const defined = withTheme(new Set([...setByStyles, ...INHERITED]));
  const faults = Array.from(texts, ([file, text]) =>
    namesOf(text, USED)
      .filter((name) => !defined.has(name))
      .map((name) => `${file} uses ${name}.`),
  );
  expect(faults.flat()).toEqual([]);
});

/** Definitions of a variable. */
const SET = /(--mantine-[\w-]+)\s*:/g;
/** An undefined variable lets its property be inherited, which is intended for these. */
const INHERITED = ['--mantine-text-wrap'];
/** Uses of a variable without a fallback. */
const USED = /var\(\s*(--mantine-[\w-]+)\s*\)/g;
