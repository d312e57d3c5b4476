// Texts of the initial load: the shell, the dashboard, and the names of every area.
export default {
  ...import.meta.glob<Record<string, unknown>>(
    ['../../../locales/nor/*.json', '!**/*.{server,content}.json', '!**/{platform,dashboard}.json'],
    { eager: true, import: 'default', query: '?first' },
  ),
  ...import.meta.glob<Record<string, unknown>>('../../../locales/nor/{platform,dashboard}.json', {
    eager: true,
    import: 'default',
  }),
};
