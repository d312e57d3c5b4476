// Splits a full name in one column: the part before the first space is the first name, the rest is
// the last name.

export interface SplitName {
  first: string;
  /** Empty for a single word. */
  last: string;
}

export function splitName(name: string): SplitName {
  const trimmed = name.trim();
  const end = trimmed.search(/\s/);
  return end === -1
    ? { first: trimmed, last: '' }
    : { first: trimmed.slice(0, end), last: trimmed.slice(end).trim() };
}

/** Lists targets that conflict with `target`: a full name includes both of its parts. */
export function listConflictingTargets(target: string): readonly string[] {
  if (target === 'fullname') return ['fullname', 'firstname', 'lastname'];
  return target === 'firstname' || target === 'lastname' ? [target, 'fullname'] : [target];
}
