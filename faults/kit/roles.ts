// The product's roles for the fault tests, each in its own process. A supervised role is
// restarted whenever its process ends, as in the product.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { MEMORY_FLAGS, type Role, type RoleReport } from '#main/role.ts';
import { SECRET, type Scene } from '../kit.ts';

/** The program to start roles of: this checkout or an unpacked release. */
type Program = { root: string; node: string };
const THIS_CHECKOUT: Program = { root: join(import.meta.dirname, '../..'), node: process.execPath };

export async function startRole(
  scene: Scene,
  role: Role,
  env: NodeJS.ProcessEnv = {},
  { root, node } = THIS_CHECKOUT,
): Promise<ChildProcess> {
  const child = spawn(node, [...MEMORY_FLAGS[role], join(root, 'main/role-process.ts'), role], {
    cwd: root,
    env: {
      ...process.env,
      NODE_ENV: 'test',
      DATA_DIR: scene.folder,
      DATABASE_URL: scene.running.server.url,
      SECRET,
      LOG_LEVEL: 'error',
      ...env,
    },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [report] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [unknown];
  const reply =
    typeof report === 'object' ? (report as RoleReport) : { failed: 'its process ended' };
  if ('failed' in reply) throw new Error(`The ${role} did not start: ${reply.failed}`);
  return child;
}

export interface SupervisedRole {
  /** The current process id. */
  pid(): number;
  /** Number of times the role ended without being stopped. */
  ends(): number;
  release(): void;
}

export async function startSupervisedRole(
  scene: Scene,
  role: Role,
  env: NodeJS.ProcessEnv = {},
): Promise<SupervisedRole> {
  let isSupervised = true;
  let exitCount = 0;
  let child = await startRole(scene, role, env);
  const watch = (next: ChildProcess) => {
    child = next;
    next.once('exit', restart);
    if (!isSupervised) next.kill('SIGKILL');
  };
  const restart = () => {
    if (!isSupervised) return;
    exitCount++;
    startRole(scene, role, env).then(watch, () => setTimeout(restart, 1_000));
  };
  watch(child);
  return {
    pid: () => child.pid ?? 0,
    ends: () => exitCount,
    release() {
      isSupervised = false;
      child.kill('SIGKILL');
    },
  };
}
