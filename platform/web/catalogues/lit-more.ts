// The texts of all screens but the first.
export default import.meta.glob<Record<string, unknown>>(
  ['../../../locales/lit/*.json', '!**/*.server.json', '!**/{platform,dashboard}.json'],
  { eager: true, import: 'default' },
);
