// A field that no person sees: a program that fills it is trapped. Browsers and password managers must not fill it, so
// that it is read-only (programs write past that), says so in the words of each, and has a name that means nothing.
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

/** Names under which the trap is posted; forms pasted as plain HTML before have the first. */
export const TRAP_NAMES = ['website_2', 'sl_trap'] as const;
