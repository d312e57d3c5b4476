// Checks the order of Mantine's styles in the built client. A component that passes its own classes
// to another component overrides the rules of that component. Files load in any order, so the
// overridden rules must come earlier in the same file, or be in the shell's file or in the layer of
// parts (main/web-client/component-styles.ts).
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const MODULES = join(ROOT, 'node_modules', '@mantine', 'core', 'esm');

/** Location of a component's rules. */
interface StylePosition {
  file: string;
  offset: number;
  isPart: boolean;
}

/** @param folder of the built client */
export function checkClientStyles(folder = join(ROOT, 'dist', 'web')): string[] {
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  const shell = new Set(
    Array.from(page.matchAll(/"\/assets\/([^"]+\.css)"/g), ([, file = '']) => file),
  );
  const positions = placesIn(join(folder, 'assets'));
  return [...usedComponents()].flatMap(([component, others]) =>
    [...others].flatMap((otherComponent) => {
      const position = positions.get(component);
      const base = positions.get(otherComponent);
      return position && base && !isBefore(base, position, shell)
        ? [
            `The styles of ${component} may precede those of ${otherComponent}: ${position.file}, ${base.file}`,
          ]
        : [];
    }),
  );
}

function isBefore(
  base: StylePosition,
  position: StylePosition,
  shell: ReadonlySet<string>,
): boolean {
  if (base.isPart && !position.isPart) return true;
  if (base.file === position.file) return base.offset < position.offset;
  return shell.has(base.file);
}

/** Returns the component of each class name, such as `Button` for `m_77c9d27d`. */
function components(): Map<string, string> {
  return new Map(
    globSync('**/*.module.mjs', { cwd: MODULES }).flatMap((file) =>
      Array.from(
        readFileSync(join(MODULES, file), 'utf8').matchAll(/"(m_[0-9a-f]+)"/g),
        ([, name = '']) => [name, basename(file, '.module.mjs')] as const,
      ),
    ),
  );
}

function placesIn(assets: string): Map<string, StylePosition> {
  const names = components();
  const positions = new Map<string, StylePosition>();
  for (const file of globSync('*.css', { cwd: assets })) {
    const css = readFileSync(join(assets, file), 'utf8');
    const partsLayerStart = css.indexOf('@layer mantine.parts');
    for (const { 1: name = '', index } of css.matchAll(/\.(m_[0-9a-f]+)/g)) {
      const component = names.get(name);
      if (component === undefined || positions.has(component)) continue;
      positions.set(component, { file, offset: index, isPart: isIn(css, partsLayerStart, index) });
    }
  }
  return positions;
}

/** Returns whether `offset` is within the block that starts at `start`. */
function isIn(css: string, start: number, offset: number): boolean {
  if (start < 0 || offset < start) return false;
  let depth = 0;
  for (const { 0: brace, index } of css.slice(start, offset).matchAll(/[{}]/g)) {
    depth += brace === '{' ? 1 : -1;
    if (depth === 0 && index > 0) return false;
  }
  return true;
}

/**
 * Returns, for each component, the components with styles that it imports directly or through files
 * without styles.
 */
function usedComponents(): Map<string, Set<string>> {
  const importersByComponent = new Map<string, Set<string>>();
  for (const file of globSync('**/*.mjs', { cwd: MODULES })) {
    const [component] = stylesOf(file);
    if (component === undefined) continue;
    const importers = importsOf(file).flatMap((otherFile) => nearest(otherFile, new Set([file])));
    const files = importersByComponent.get(component) ?? new Set();
    for (const otherFile of importers) if (otherFile !== component) files.add(otherFile);
    importersByComponent.set(component, files);
  }
  return importersByComponent;
}

function nearest(file: string, visitedFiles: Set<string>): string[] {
  if (visitedFiles.has(file) || !file.startsWith('components')) return [];
  visitedFiles.add(file);
  const ownStyles = stylesOf(file);
  return ownStyles.length > 0
    ? ownStyles
    : importsOf(file).flatMap((imported) => nearest(imported, visitedFiles));
}

const stylesOf = (file: string) =>
  importsOf(file)
    .filter((imported) => imported.endsWith('.module.mjs'))
    .map((imported) => basename(imported, '.module.mjs'));

function importsOf(file: string): string[] {
  const code = readFileSync(join(MODULES, file), 'utf8');
  return Array.from(code.matchAll(/from "(\.[^"]+)"/g), ([, path = '']) =>
    join(dirname(file), path),
  );
}
