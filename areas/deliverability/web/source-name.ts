// The displayed names of sources, including kinds of sources without a name.
import type { Texts } from '#platform/web/texts/texts.ts';

export function formatSourceName(t: Texts, source: string): string {
  const colon = source.indexOf(':');
  if (colon < 0) return t(`sources.${source}`);
  const name = source.slice(colon + 1);
  if (!source.startsWith('selector:')) return name;
  // A selector may be any string from a report, while a domain has no slash.
  const slash = name.indexOf('/');
  const [domain, selector] = [name.slice(0, slash), name.slice(slash + 1)];
  return selector === '' ? domain : t('sources.selector', { domain, selector });
}
