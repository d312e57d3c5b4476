// Validates a BIMI logo, which must be SVG Tiny Portable/Secure, a profile without scripts,
// animations, embedded images and external links.
// https://datatracker.ietf.org/doc/draft-svg-tiny-ps-abrotman/
import { SaxesParser } from 'saxes';
import type { BimiFinding } from '../../contract.ts';

const MAX_DEPTH = 50;
const ELEMENTS: ReadonlyMap<string, BimiFinding> = new Map(
  Object.entries({
    script: 'logo_script',
    handler: 'logo_script',
    listener: 'logo_script',
    image: 'logo_image',
    foreignobject: 'logo_image',
    video: 'logo_image',
    audio: 'logo_image',
    animation: 'logo_animation',
    animate: 'logo_animation',
    animatecolor: 'logo_animation',
    animatemotion: 'logo_animation',
    animatetransform: 'logo_animation',
    set: 'logo_animation',
    a: 'logo_external',
  } as const),
);

/** Returns the findings about the logo; empty for a valid one. */
export function findLogoFaults(svg: string): BimiFinding[] {
  const findings = new Set<BimiFinding>();
  let depth = 0;
  let hasTitle = false;
  let isSvg = false;
  const parser = new SaxesParser();
  parser.on('doctype', () => findings.add('logo_not_svg'));
  parser.on('opentag', ({ name, attributes }) => {
    depth++;
    const local = name.slice(name.indexOf(':') + 1).toLowerCase();
    if (depth > MAX_DEPTH) throw new Error('The logo is nested too deeply.');
    if (depth === 1) {
      isSvg = local === 'svg';
      for (const finding of findRootFaults(attributes)) findings.add(finding);
    }
    if (depth === 2 && local === 'title') hasTitle = true;
    const finding = ELEMENTS.get(local);
    if (finding) findings.add(finding);
    for (const finding of findAttributeFaults(attributes)) findings.add(finding);
  });
  parser.on('closetag', () => depth--);
  parser.on('error', (error) => {
    throw error;
  });
  try {
    parser.write(svg).close();
  } catch {
    return ['logo_not_svg'];
  }
  if (!isSvg) return ['logo_not_svg'];
  if (!hasTitle) findings.add('logo_title');
  return [...findings];
}

function findRootFaults(attributes: Record<string, string>): BimiFinding[] {
  const findings: BimiFinding[] = [];
  if (attributes.baseProfile !== 'tiny-ps' || attributes.version !== '1.2') {
    findings.push('logo_profile');
  }
  if ('x' in attributes || 'y' in attributes) findings.push('logo_profile');
  const [, , width, height] = (attributes.viewBox ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  if (!(width && height && width === height)) findings.push('logo_not_square');
  return findings;
}

function findAttributeFaults(attributes: Record<string, string>): BimiFinding[] {
  return Object.entries(attributes).flatMap(([name, value]): BimiFinding[] => {
    if (/^on/i.test(name)) return ['logo_script'];
    const isLink = /(?:^|:)href$/i.test(name) && !value.startsWith('#');
    return isLink || /url\(\s*['"]?(?!#)/i.test(value) ? ['logo_external'] : [];
  });
}
