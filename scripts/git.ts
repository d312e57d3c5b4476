// Runs Git for the checks.
import { execFileSync } from 'node:child_process';

/** Returns the output of a Git command; undefined if it fails, as outside a Git checkout. */
export function runGit(root: string, args: string[]): string | undefined {
  try {
    return execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return undefined;
  }
}
