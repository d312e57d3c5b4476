// Build plug-in: each Mantine component imports its own styles, so that they load with its code
// instead of with the first screen. The development server, which bundles Mantine before plug-ins
// run, loads all styles with the base styles.
import { basename } from 'node:path';
import type { Plugin } from 'vite';

const BASE = /[\\/]platform[\\/]web[\\/]theme[\\/]base-styles\.ts$/;
/** The class names of a component: `@mantine/core/esm/components/Menu/Menu.module.mjs`. */
const CLASS_NAMES = /[\\/]@mantine[\\/](core|notifications|nprogress)[\\/]esm[\\/].*\.module\.mjs$/;
const VARIABLES = /[\\/]default-css-variables\.layer\.css$/;
/** Colors of Mantine that no component has by default; ours are in the theme. */
const UNUSED_COLORS =
  /--mantine-color-(?:pink|grape|violet|indigo|blue|cyan|teal|green|lime|yellow|orange|red)-[\w-]+:[^;]*;/g;

export function componentStyles(): Plugin {
  let isBuild = true;
  return {
    name: 'component-styles',
    enforce: 'pre',
    configResolved({ command }) {
      isBuild = command === 'build';
    },
    transform: {
      filter: { id: [BASE, CLASS_NAMES, VARIABLES] },
      handler(code, id) {
        if (VARIABLES.test(id)) return { code: code.replace(UNUSED_COLORS, ''), map: null };
        const [, library] = CLASS_NAMES.exec(id) ?? [];
        if (library === undefined)
          return isBuild ? null : { code: `${code}\nimport '@mantine/core/styles.layer.css';`, map: null };
        const styles =
          library === 'core' ? `styles/${basename(id, '.module.mjs')}.layer.css` : 'styles.layer.css';
        return { code: `import '@mantine/${library}/${styles}';\n${code}`, map: null };
      },
    },
  };
}
