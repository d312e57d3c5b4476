// The roles that a process can take.
import type { Config } from '#platform/server/config.ts';

export interface Running {
  close(): Promise<void>;
}

export const ROLES = ['web', 'worker', 'sender'] as const;
export type Role = (typeof ROLES)[number];

/** What a role tells its supervisor. */
export type RoleReport = { ready: true } | { failed: string };

export async function startRole(role: Role, config: Config): Promise<Running> {
  switch (role) {
    case 'web':
      return (await import('./web.ts')).startWeb(config);
    case 'worker':
      return (await import('./worker.ts')).startWorker(config);
    case 'sender':
      return (await import('./sender.ts')).startSender(config);
    case 'sender':
      return (await import('./sender.ts')).startSender(config);
  }
}
