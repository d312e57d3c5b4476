// What install.mjs offers, for the tests: it stays plain JavaScript because it runs before all else.
export function install(root: string): string;
export function staleness(root: string, modules: string): string | undefined;
