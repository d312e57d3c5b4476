// `npm run check`, commit messages: checks the subjects of commits made since the rule was
// introduced.
import { join } from 'node:path';
import { subjectViolations } from './commit-message.mjs';
import { runGit } from './git.ts';

const ROOT = join(import.meta.dirname, '..');
/** Commits after this time follow the rule. */
const FIRST_CHECKED_AT = '2026-11-29T04:30:00Z';
/** This commit was merged before the check ran on it; its subject has 74 characters. */
const EXEMPT = '241bf156';

/** Returns violations in the subjects of new commits; empty outside a git checkout. */
export function checkCommits(root = ROOT): string[] {
  const log = runGit(root, ['log', '--no-merges', `--since=${FIRST_CHECKED_AT}`, '--format=%h %s']);
  return (log ?? '')
    .split('\n')
    .filter(Boolean)
    .flatMap((line) => {
      const [hash, ...subject] = line.split(' ');
      if (hash?.startsWith(EXEMPT)) return [];
      return subjectViolations(subject.join(' ')).map((violation) => `${hash}: ${violation}`);
    });
}
