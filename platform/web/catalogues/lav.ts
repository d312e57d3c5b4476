// All texts of one language, loaded as one piece when the language is chosen.
export default import.meta.glob<Record<string, unknown>>(
  ['../../../locales/lav/*.json', '!**/*.server.json'],
  { eager: true, import: 'default' },
);
