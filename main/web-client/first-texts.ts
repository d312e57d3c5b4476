// Build plug-in: `<area>.json?first` contains only the strings that the areas' routes name (titles,
// navigation entries, palette actions). They load with the shell, all other strings later.
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Plugin } from 'vite';

const ROOT = join(import.meta.dirname, '..', '..');
const ROUTES = 'areas/*/web/routes.tsx';
const QUERY = '?first';

interface TextTree {
  [key: string]: string | TextTree;
}

export function firstTextsPlugin(): Plugin {
  return {
    name: 'first-texts',
    enforce: 'pre',
    load: {
      filter: { id: /\.json\?first$/ },
      handler(id) {
        const path = id.slice(0, -QUERY.length);
        for (const file of routes()) this.addWatchFile(file);
        this.addWatchFile(path);
        const catalog = JSON.parse(readFileSync(path, 'utf8')) as TextTree;
        const pickedTexts = pickTexts(catalog, namedKeys(basename(path, '.json')));
        return { code: `export default ${JSON.stringify(pickedTexts)};`, moduleType: 'js' };
      },
    },
  };
}

const routes = () => globSync(ROUTES, { cwd: ROOT }).map((file) => join(ROOT, file));

/** `'campaigns:steps.design'` anywhere in the routes refers to `steps.design` of campaigns. */
function namedKeys(area: string): string[] {
  const name = new RegExp(`['"\`]${area}:([\\w.]+)['"\`]`, 'g');
  return routes().flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(name)].map(([, key]) => key ?? ''),
  );
}

function pickTexts(catalog: TextTree, keys: readonly string[]): TextTree {
  const pickedTexts: TextTree = {};
  for (const key of keys) {
    const segments = key.split('.');
    const lastSegment = segments.pop() ?? '';
    const source = segments.reduce<TextTree | undefined>(
      (node, segment) => subtreeOf(node?.[segment]),
      catalog,
    );
    const text = source?.[lastSegment];
    if (text === undefined) throw new Error(`The routes refer to the missing text ${key}.`);
    const target = segments.reduce<TextTree>((node, segment) => {
      const below = subtreeOf(node[segment]) ?? {};
      node[segment] = below;
      return below;
    }, pickedTexts);
    target[lastSegment] = text;
  }
  return pickedTexts;
}

const subtreeOf = (value: string | TextTree | undefined) =>
  typeof value === 'object' ? value : undefined;
