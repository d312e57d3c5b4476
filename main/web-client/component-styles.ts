// Build plug-in: each Mantine component imports its own styles, so that they load with its code
// instead of with the first screen. The development server, which bundles Mantine before plug-ins
// run, loads all styles with the base styles. Our own styles are in no layer, so they override
// Mantine's layer in any order of loading.
import { basename } from 'node:path';
import type { Plugin } from 'vite';

const BASE = /[\\/]platform[\\/]web[\\/]theme[\\/]base-styles\.ts$/;
/** The class names of a component: `@mantine/core/esm/components/Menu/Menu.module.mjs`. */
const CLASS_NAMES = /\.module\.mjs$/;
const LIBRARY = /[\\/]@mantine[\\/](core|dates|notifications|nprogress)[\\/]/;
/** `@mantine/core/styles/Menu.layer.css`, `@mantine/core/styles.layer.css` */
const STYLES = /[\\/]@mantine[\\/]\w+[\\/](?:styles[\\/])?([\w-]+)\.layer\.css$/;
const PACKAGES = ['core', 'dates', 'notifications', 'nprogress'];

/**
 * Components that other components use as their outermost element. The classes that the other
 * components add must win in any order of loading, so the rules of these parts are in a layer
 * inside Mantine's. The parts are so simple that the layer changes nothing else.
 */
const PART_COMPONENTS = new Set(['Overlay', 'Popover', 'ScrollArea']);

/** Definitions of colors that no component has by default, and of colors that the theme defines. */
const UNUSED_COLOR =
  /^--mantine-(?:color-(?:pink|grape|violet|indigo|blue|cyan|teal|green|lime|yellow|orange|red|anchor|error|success)|primary-color)[-:]/;
/** Replaced colors: the focus of a color picker, and the weekends of a calendar. */
const REPLACED: Record<string, string> = {
  '--mantine-color-blue-filled': '--mantine-primary-color-filled',
  '--mantine-color-red-6': '--mantine-color-error',
};

export function componentStylesPlugin(): Plugin {
  let isBuild = true;
  return {
    name: 'component-styles',
    enforce: 'pre',
    configResolved({ command }) {
      isBuild = command === 'build';
    },
    transform: {
      filter: { id: [BASE, CLASS_NAMES, STYLES] },
      handler(code, id) {
        const styledCode = withStyles(code, id, isBuild);
        return styledCode === undefined ? null : { code: styledCode, map: null };
      },
    },
  };
}

/**
 * Returns the changed module, or undefined if the build or the development server needs no change.
 */
export function withStyles(code: string, id: string, isBuild = true): string | undefined {
  const [, name] = STYLES.exec(id) ?? [];
  if (name !== undefined) return changedStyles(code, name);
  if (CLASS_NAMES.test(id)) {
    const [, library] = LIBRARY.exec(id) ?? [];
    return library === undefined ? undefined : `${importOf(library, id)}\n${code}`;
  }
  if (isBuild) return undefined;
  return `${code}\n${PACKAGES.map((name) => `import '@mantine/${name}/styles.layer.css';`).join('\n')}`;
}

function importOf(library: string, id: string): string {
  const file =
    library === 'core' ? `styles/${basename(id, '.module.mjs')}.layer.css` : 'styles.layer.css';
  return `import '@mantine/${library}/${file}';`;
}

function changedStyles(css: string, name: string): string {
  const lines = css.split('\n').filter((line) => !UNUSED_COLOR.test(line.trim()));
  const replacedCss = lines.join('\n').replace(/var\((--[\w-]+)\)/g, (match, variable) => {
    const replacement = REPLACED[variable];
    return replacement === undefined ? match : `var(${replacement})`;
  });
  return PART_COMPONENTS.has(name)
    ? replacedCss.replaceAll('@layer mantine', '@layer mantine.parts')
    : replacedCss;
}
