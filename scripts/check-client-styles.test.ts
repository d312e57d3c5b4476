// The check reports a built client where a component's styles may precede the styles that they
// override.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { checkClientStyles } from './check-client-styles.ts';

const STYLES = join(import.meta.dirname, '..', 'node_modules', '@mantine', 'core', 'styles');
const folder = mkdtempSync(join(tmpdir(), 'client-styles-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const styles = (name: string) => readFileSync(join(STYLES, `${name}.layer.css`), 'utf8');
const asPart = (css: string) => css.replace('@layer mantine', '@layer mantine.parts');

/** Returns the findings for these style files; the page itself refers to `shell.css` only. */
function findings(files: Record<string, string>): string[] {
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'index.html'), '<link rel="stylesheet" href="/assets/shell.css">');
  for (const [name, css] of Object.entries(files))
    writeFileSync(join(folder, 'assets', `${name}.css`), css);
  return checkClientStyles(folder);
}

test('the styles of an overridden component must come first within a file', () => {
  const [popover, combobox] = [styles('Popover'), styles('Combobox')];
  expect(findings({ shell: popover + combobox })).toEqual([]);
  expect(findings({ shell: combobox + popover })).toEqual([
    'The styles of Combobox may precede those of Popover: shell.css, shell.css',
  ]);
  expect(findings({ shell: combobox + asPart(popover) })).toEqual([]);
});

test('only the shell’s file is guaranteed to load before the others', () => {
  const [popover, combobox] = [styles('Popover'), styles('Combobox')];
  expect(findings({ shell: popover, other: combobox })).toEqual([]);
  expect(findings({ shell: '', one: popover, other: combobox })).toEqual([
    'The styles of Combobox may precede those of Popover: other.css, one.css',
  ]);
  expect(findings({ shell: combobox, one: asPart(popover), other: '' })).toEqual([]);
});
