// The entry point of every npm command: installs the pinned packages, then runs the command under
// the pinned Node. Runs on Node 20 without any dependency.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { install } from './install.mjs';

const commands = {
  start: 'main/start.ts',
  dev: 'main/dev.ts',
  build: 'scripts/build.ts',
  test: 'scripts/test.ts',
  check: 'scripts/check.ts',
  generate: 'scripts/generate.ts',
  'guide-pictures': 'scripts/guide-pictures.ts',
  'inspect-mcp': 'scripts/inspect-mcp.ts',
  release: 'scripts/release.ts',
  demo: 'main/demo.ts',
  migrate: 'main/migrate.ts',
  backup: 'main/backup.ts',
  restore: 'main/restore.ts',
  restored: 'main/restored.ts',
  'convert-backup': 'scripts/convert-backup.ts',
  'restore-point': 'main/restore-point.ts',
  distribute: 'main/distribute.ts',
  'cluster-test': 'scripts/cluster-test.ts',
  bench: 'bench/run.ts',
  faults: 'faults/run.ts',
};

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [name, ...args] = process.argv.slice(2);
const script = commands[name];
if (!script) {
  console.error(`Usage: npm run ${Object.keys(commands).join('|')} [-- arguments]`);
  process.exit(1);
}

let node;
try {
  node = install(root);
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
if (name === 'dev') (await import('./commit-message.mjs')).installCommitHook(root);
run(node, [join(root, script), ...args]);

/**
 * Runs the command. Signals are forwarded to it, and its IPC channel closes when this process ends.
 */
function run(node, argv) {
  const env = {
    ...process.env,
    PATH: `${join(root, 'node_modules', '.bin')}${process.platform === 'win32' ? ';' : ':'}${process.env.PATH}`,
    NODE_COMPILE_CACHE:
      process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules', '.cache', 'node'),
  };
  // The only process of a container needs no supervisor; replacing this process saves 40 MB.
  if (process.pid === 1 && process.execve) {
    process.chdir(root);
    process.execve(node, [node, ...argv], env);
  }
  const child = spawn(node, argv, {
    cwd: root,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env,
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => child.kill(signal));
  stopWithNpm(child);
  child.on('error', (error) => {
    console.error(`Could not start ${node}: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)));
}

/** Stops the child if npm, the parent process, was killed. */
function stopWithNpm(child) {
  if (!process.env.npm_lifecycle_event) return;
  const before = ancestors();
  setInterval(() => ancestors() === before || child.kill('SIGTERM'), 500).unref();
}

/**
 * Returns the parent and grandparent processes: npm is the parent, or the parent is npm's shell.
 */
function ancestors() {
  try {
    const stat = readFileSync(`/proc/${process.ppid}/stat`, 'utf8');
    return `${process.ppid} ${stat.split(') ').at(-1).split(' ')[1]}`;
  } catch {
    return String(process.ppid);
  }
}
