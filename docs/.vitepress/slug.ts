// The anchor of a heading, built as repository hosts do, so that a link works there and on the
// site.
export function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}
