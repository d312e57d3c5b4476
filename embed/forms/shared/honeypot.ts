// A honeypot field, invisible to people; a submission with a value is from a bot. Browsers and
// password managers must not fill it, so it is read-only (bots fill it anyway), with a meaningless
// name and attributes that make password managers ignore it.
export const TRAP: Readonly<Record<string, string>> = {
  type: 'text',
  name: 'sl_trap',
  tabindex: '-1',
  readonly: '',
  autocomplete: 'off',
  'data-1p-ignore': '',
  'data-bwignore': '',
  'data-form-type': 'other',
  'data-lpignore': 'true',
};

/** Names of the honeypot field; plain HTML forms of earlier versions have the first one. */
export const TRAP_NAMES = ['website_2', 'sl_trap'] as const;
