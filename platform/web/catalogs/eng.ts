// Strings for the initial load: all strings of the shell and the dashboard; from other areas, only
// the strings that routes refer to (`?first`, see main/web-client/first-texts.ts). The exclusions
// repeat the full path because Vite resolves `!**/…` against its root, where it would match
// nothing.
export default {
  ...import.meta.glob<Record<string, unknown>>(
    [
      '../../../locales/eng/*.json',
      '!../../../locales/eng/*.{server,content}.json',
      '!../../../locales/eng/{platform,dashboard}.json',
    ],
    { eager: true, import: 'default', query: '?first' },
  ),
  ...import.meta.glob<Record<string, unknown>>('../../../locales/eng/{platform,dashboard}.json', {
    eager: true,
    import: 'default',
  }),
};

/** Loaders of each area's complete catalog, called when the area's first screen opens. */
export const textLoaders = import.meta.glob<Record<string, unknown>>(
  [
    '../../../locales/eng/*.json',
    '!../../../locales/eng/*.{server,content}.json',
    '!../../../locales/eng/{platform,dashboard}.json',
  ],
  { import: 'default' },
);
