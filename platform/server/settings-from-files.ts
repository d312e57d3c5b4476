// Settings from files: NAME_FILE names a file that contains NAME, as containers provide secrets.
import { readFileSync } from 'node:fs';

export type Environment = Record<string, string | undefined>;

/** Maximum length of a value, far above the length of any setting. */
const MAX_LENGTH = 100_000;

/**
 * Returns the environment with each NAME resolved from its NAME_FILE, and NAME_FILE removed, so
 * that processes that inherit it find each setting once. A regular variable with this suffix
 * (BILLING_FILE) is left unchanged. `refuse` builds an error from a sentence.
 */
export function readSettingsFromFiles<T extends Environment>(
  env: T,
  names: readonly string[],
  refuse: (sentence: string) => Error,
): T {
  const knownNames = new Set(names);
  const settings: Environment = { ...env };
  for (const name of names) {
    const fileName = `${name}_FILE`;
    if (knownNames.has(fileName)) continue;
    delete settings[fileName];
    const file = env[fileName];
    if (!file) continue;
    if (env[name]) throw refuse(`${name} and ${fileName} are both set: remove one of them.`);
    settings[name] = readSetting(fileName, file, refuse);
  }
  return settings as T;
}

function readSetting(name: string, file: string, refuse: (sentence: string) => Error): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw refuse(
      `${name} refers to ${file}, which cannot be read (${REASONS[code ?? ''] ?? code}).`,
    );
  }
  // Editors and `echo` end a file with a line break, which is not part of the setting.
  const value = text.replace(/(?<![\r\n])[\r\n]+$/, '');
  if (value === '') throw refuse(`${name} refers to ${file}, which is empty.`);
  if (value.length > MAX_LENGTH || value.includes('\0')) {
    throw refuse(`${name} refers to ${file}, which contains no setting.`);
  }
  return value;
}

const REASONS: Record<string, string> = {
  ENOENT: 'the file does not exist',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'the file does not exist',
};
