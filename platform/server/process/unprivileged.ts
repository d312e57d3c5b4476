// Chooses the user for PostgreSQL, which refuses to run as root. If root starts the product,
// PostgreSQL runs as another user that can enter its binary and data folders.
import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

export interface ProcessUser {
  uid: number;
  gid: number;
}

/**
 * Used by root for files that the unprivileged user could not reach in the project's own folder.
 */
export const ROOT_HOME = '/var/lib/sendloom';

/** Returns the user to run PostgreSQL as; undefined means this process's user. */
export function findUnprivilegedUser(dataFolder: string): ProcessUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  if (existsSync(dataFolder)) {
    const { uid, gid } = statSync(dataFolder);
    if (uid !== 0) return { uid, gid };
  }
  return findUser('postgres') ?? findUser('sendloom') ?? createUser() ?? findUser('nobody');
}

/** Returns true if this user may enter all folders above the path. */
export function canReach(path: string, user: ProcessUser): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const { mode, uid, gid } = statSync(folder);
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if (!(mode & bit)) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** Returns true if this process may create files in an existing folder. */
export function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function findUser(name: string): ProcessUser | undefined {
  try {
    const id = (flag: string) =>
      Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: 'pipe' }));
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return undefined;
  }
}

function createUser(): ProcessUser | undefined {
  const options = ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin'];
  try {
    execFileSync('useradd', [...options, 'sendloom'], { stdio: 'pipe' });
  } catch {
    return undefined;
  }
  return findUser('sendloom');
}
