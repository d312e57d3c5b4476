// Checks the subject of a commit message. The commit-msg hook that `npm run dev` installs runs this
// file; `npm run check` applies it to new commits. It is plain JavaScript, because git runs the
// hook with the machine's Node.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAX_SUBJECT_LENGTH = 72;
const VERBS = 'Add|Fix|Remove|Rename|Move|Change|Speed up|Test|Document|Revert|Release';

/** Returns violations in a subject. Subjects that git itself writes pass. */
export function subjectViolations(subject) {
  if (/^(Merge|fixup!|squash!|amend!) /.test(subject) || /^Revert "/.test(subject)) return [];
  return [
    ...(new RegExp(`^(${VERBS}) \\S`).test(subject)
      ? []
      : [`a subject begins with one of ${VERBS.replaceAll('|', ', ')}, then its object`]),
    ...(subject.length > MAX_SUBJECT_LENGTH
      ? [`${subject.length} characters, at most ${MAX_SUBJECT_LENGTH}`]
      : []),
    ...(/[.;]$/.test(subject) ? ['a subject ends without a period'] : []),
  ];
}

/** The first comment of our hook; a hook without it is the developer's own and is not replaced. */
const MARK = '# Sendloom: checks the commit message.';

/** Installs the commit-msg hook of the checkout at `root`. */
export function installCommitHook(root) {
  let path;
  try {
    path = execFileSync('git', ['rev-parse', '--git-path', 'hooks/commit-msg'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return 'no git';
  }
  const file = resolve(root, path);
  if (existsSync(file) && !readFileSync(file, 'utf8').includes(MARK)) return 'kept';
  const lines = ['#!/bin/sh', MARK, 'exec node scripts/commit-message.mjs "$1"', ''];
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, lines.join('\n'), { mode: 0o755 });
  } catch {
    // A checkout with another user's git folder runs without the hook.
    return 'no git';
  }
  return 'installed';
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [subject = ''] = readFileSync(process.argv[2], 'utf8')
    .split('\n')
    .filter((line) => !line.startsWith('#'));
  const violations = subjectViolations(subject);
  if (violations.length > 0) {
    console.error(`Commit message refused: "${subject}"\n  ${violations.join('\n  ')}`);
    process.exit(1);
  }
}
