// Mantine's components import their styles, and every Mantine variable that a style uses is
// defined.
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
const readText = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const styleFile = (file: string) => withStyles(readText(file), join(ROOT, file)) ?? '';

const LIBRARIES = Object.keys(product.devDependencies).filter((name) =>
  name.startsWith('@mantine/'),
);
const CLASS_NAMES = LIBRARIES.flatMap((name) =>
  globSync(`node_modules/${name}/esm/**/*.module.mjs`, { cwd: ROOT }),
);
/** Components that no screen uses. */
const UNUSED = new Set(['Typography.layer.css']);

const classesIn = (text: string) => new Set(text.match(/\bm_[0-9a-f]+\b/g));

test('each Mantine component with class names imports its styles', () => {
  expect(CLASS_NAMES.length).toBeGreaterThan(80);
  const problems = CLASS_NAMES.flatMap((file) => {
    const code = styleFile(file);
    const [, styles = ''] = /^import '([^']+)';/.exec(code) ?? [];
    if (styles === '') return [`${file} imports no styles.`];
    const present = classesIn(readFileSync(require.resolve(styles), 'utf8'));
    // Some classes only mark an element.
    return classesIn(code).isDisjointFrom(present) ? [`${styles} has none of ${file}.`] : [];
  });
  expect(problems).toEqual([]);
});

/** Returns the variables that the pattern finds, such as `--mantine-color-text`. */
const namesOf = (text: string, pattern: RegExp) =>
  Array.from(text.matchAll(pattern), ([, name = '']) => name);

/**
 * Returns the variables that the provider writes into the page because they differ from the
 * defaults.
 */
function themeVariables(): [name: string, value: string][] {
  const mergedTheme = mergeMantineTheme(DEFAULT_THEME, theme);
  const ownVariables = cssVariables(mergedTheme);
  const allVariables = defaultCssVariablesResolver(mergedTheme);
  const defaults = defaultCssVariablesResolver(DEFAULT_THEME);
  return (['variables', 'light', 'dark'] as const).flatMap((scheme) => {
    const defaultValues = new Map(Object.entries(defaults[scheme]));
    return Object.entries({ ...allVariables[scheme], ...ownVariables[scheme] }).filter(
      ([name, value]) => defaultValues.get(name) !== value,
    );
  });
}

/** Adds the theme variables that refer only to defined variables. */
function withTheme(definedNames: Set<string>): Set<string> {
  const variables = themeVariables();
  for (let hasAdded = true; hasAdded; ) {
    const ready = variables.filter(
      ([name, value]) =>
        !definedNames.has(name) &&
        namesOf(value, USED).every((usedName) => definedNames.has(usedName)),
    );
    hasAdded = ready.length > 0;
    for (const [name] of ready) definedNames.add(name);
  }
  return definedNames;
}

test('the styles use only defined Mantine variables', () => {
  const ownFiles = globSync('{areas/*,platform}/web/**/*.css', { cwd: ROOT });
  const mantineFiles = globSync(
    'node_modules/@mantine/{core/styles/*.layer.css,{dates,notifications,nprogress}/styles.layer.css}',
    { cwd: ROOT },
  ).filter((file) => !UNUSED.has(basename(file)));
  const sourceByFile = new Map([
    ...ownFiles.map((file) => [file, readText(file)] as const),
    ...mantineFiles.map((file) => [file, styleFile(file)] as const),
  ]);
  const setByStyles = Array.from(sourceByFile.values(), (text) =>
    namesOf(text, SET_VARIABLE),
  ).flat();
  const definedVariables = withTheme(new Set([...setByStyles, ...INHERITED]));
  const problems = Array.from(sourceByFile, ([file, text]) =>
    namesOf(text, USED)
      .filter((name) => !definedVariables.has(name))
      .map((name) => `${file} uses ${name}.`),
  );
  expect(problems.flat()).toEqual([]);
});

/** Definitions of a variable. */
const SET_VARIABLE = /(--mantine-[\w-]+)\s*:/g;
/** An undefined variable lets its property be inherited, which is intended for these. */
const INHERITED = ['--mantine-text-wrap'];
/** Uses of a variable without a fallback. */
const USED = /var\(\s*(--mantine-[\w-]+)\s*\)/g;
