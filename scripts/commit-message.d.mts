// What commit-message.mjs offers, for the check and its tests.
export function subjectViolations(subject: string): string[];
export function installCommitHook(root: string): 'installed' | 'kept' | 'no git';
