// The request that caused a job, carried as one of the job's flags: its lines in the log have the
// same request ID. Flags leave payloads, keys and their comparisons as they are.

const PREFIX = 'request:';

/** The flags of a new job; null for one that no request caused. */
export const flagsOf = (request: string | undefined): string[] | null =>
  request === undefined ? null : [`${PREFIX}${request}`];

/** The request ID among the flags of a job. */
export function requestOf(flags: Record<string, true> | null): string | undefined {
  const flag = Object.keys(flags ?? {}).find((name) => name.startsWith(PREFIX));
  return flag?.slice(PREFIX.length);
}
