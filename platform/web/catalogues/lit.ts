// The texts of the first load: all of the shell and the dashboard, and what every area is called.
export default {
  ...import.meta.glob<Record<string, unknown>>(
    ['../../../locales/lit/*.json', '!**/*.server.json', '!**/{platform,dashboard}.json'],
    { eager: true, import: 'default', query: '?first' },
  ),
  ...import.meta.glob<Record<string, unknown>>('../../../locales/lit/{platform,dashboard}.json', {
    eager: true,
    import: 'default',
  }),
};
