// Texts of the initial load: the shell, the dashboard, and the names of every area. Patterns that
// begin with `**` would be relative to the client's folder and exclude nothing.
export default {
  ...import.meta.glob<Record<string, unknown>>(
    [
      '../../../locales/lav/*.json',
      '!../../../locales/lav/*.{server,content}.json',
      '!../../../locales/lav/{platform,dashboard}.json',
    ],
    { eager: true, import: 'default', query: '?first' },
  ),
  ...import.meta.glob<Record<string, unknown>>('../../../locales/lav/{platform,dashboard}.json', {
    eager: true,
    import: 'default',
  }),
};

/** Texts of an area's screens, loaded with the first of them. */
export const areas = import.meta.glob<Record<string, unknown>>(
  [
    '../../../locales/lav/*.json',
    '!../../../locales/lav/*.{server,content}.json',
    '!../../../locales/lav/{platform,dashboard}.json',
  ],
  { import: 'default' },
);
