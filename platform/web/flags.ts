// Declares the feature flags and their defaults.

const flags = {
  /** The command palette on ⌘K. */
  commandPalette: true,
  /** Uses one stream of hints per browser; if false, screens poll every five seconds. */
  liveStream: true,
} as const;

export type Flag = keyof typeof flags;

/** Returns true if the feature is on. An unknown key is off and logs an error. */
export function isEnabled(key: string): boolean {
  if (Object.hasOwn(flags, key)) return flags[key as Flag];
  console.error('Invalid feature key');
  return false;
}
