// Checks the documentation: every linked page, section and picture exists, every page of the site
// is in its navigation, and every picture is used and small enough.
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { SECTIONS } from '../docs/.vitepress/sections.ts';
import { toSlug } from '../docs/.vitepress/slug.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGES = ['*.md', 'docs/**/*.md', 'clients/*/README.md'];
const IMAGES = 'docs/guide/pictures/*';
const MAX_PICTURE_BYTES = 60_000;
const MAX_PICTURES_BYTES = 2_000_000;
const FENCE = /^( *)(```+)[^\n]*\n[\s\S]*?^\1\2 *$/gm;
const CODE = /`[^`\n]*`/g;
const LINK = /(!?)\[(?:[^\]\\[]|\\.|\[[^\]]*\])*\]\(([^)\s]+)\)/g;
const HEADING = /^#{1,6} +(.+)$/gm;

/** Returns one line per error. `sections` replaces the actual navigation, for tests. */
export function checkGuide(root = ROOT, sections = SECTIONS): string[] {
  const files = PAGES.flatMap((pattern) => globSync(pattern, { cwd: root })).sort();
  const sources = new Map(
    files.map((file) => [resolve(root, file), readFileSync(join(root, file), 'utf8')]),
  );
  const usedImages = new Set<string>();
  const problems = [...sources].flatMap(([path, source]) =>
    linksOf(source).flatMap(({ target, isPicture }) => {
      const [file = '', section] = target.split('#');
      const targetPath = file === '' ? path : resolve(dirname(path), file);
      if (isPicture) usedImages.add(targetPath);
      const problem = faultOf(targetPath, section, sources);
      return problem ? [`${relative(root, path)}: ${target} ${problem}`] : [];
    }),
  );
  return [...problems, ...pictureFaults(root, usedImages), ...navigationFaults(root, sections)];
}

/** Returns the anchors of a page's headings; repeated anchors are numbered. */
export function listAnchors(source: string): Set<string> {
  const anchors = new Set<string>();
  const counts = new Map<string, number>();
  for (const [, heading = ''] of source.replace(FENCE, '').matchAll(HEADING)) {
    const slug = toSlug(heading);
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  return anchors;
}

function linksOf(source: string): { target: string; isPicture: boolean }[] {
  return [...source.replace(FENCE, '').replace(CODE, '').matchAll(LINK)]
    .map(([, mark, target = '']) => ({ target, isPicture: mark === '!' }))
    .filter(({ target }) => !/^(?:[a-z]+:|\/)/.test(target));
}

function faultOf(
  targetPath: string,
  section: string | undefined,
  sources: ReadonlyMap<string, string>,
): string | undefined {
  if (!existsSync(targetPath)) return 'does not exist';
  const source = sources.get(targetPath);
  if (section === undefined || source === undefined) return undefined;
  return listAnchors(source).has(section) ? undefined : 'has no such section';
}

function pictureFaults(root: string, usedImages: ReadonlySet<string>): string[] {
  const images = globSync(IMAGES, { cwd: root }).sort();
  const sizes = images.map((file) => statSync(join(root, file)).size);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  return [
    ...images.flatMap((file, index) => [
      ...(usedImages.has(resolve(root, file)) ? [] : [`${file}: no page shows it`]),
      ...((sizes[index] ?? 0) > MAX_PICTURE_BYTES
        ? [`${file}: over ${MAX_PICTURE_BYTES} bytes`]
        : []),
    ]),
    ...(total > MAX_PICTURES_BYTES ? [`${IMAGES}: over ${MAX_PICTURES_BYTES} bytes`] : []),
  ];
}

/**
 * Checks that the navigation has an entry for each page of the guide, operations and API, and a
 * page for each entry.
 */
function navigationFaults(root: string, sections: typeof SECTIONS): string[] {
  const entries = new Set(sections.flatMap(({ items }) => items.map(({ link }) => link.slice(1))));
  const pages = globSync('docs/{guide,operations,api}/**/*.md', { cwd: root }).map((file) =>
    file.replace(/^docs\/(?:guide\/)?/, '').replace(/(?:^index)?\.md$/, ''),
  );
  return [
    ...pages
      .filter((page) => !entries.has(page))
      .map((page) => `docs/.vitepress/sections.ts: no entry for ${page || 'the first page'}`),
    ...[...entries]
      .filter((entry) => !pages.includes(entry) && !existsSync(join(root, 'docs', `${entry}.md`)))
      .map((entry) => `docs/.vitepress/sections.ts: ${entry} has no page`),
  ];
}
