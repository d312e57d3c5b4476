// Formats the entries of a plugin's call that were not found, for the response.
import type { z } from 'zod';
import type { StoreFindings } from '../public-contract.ts';
import type { Findings } from './store-payloads.ts';

export function shownFindings(
  ...all: readonly (Findings | undefined)[]
): z.infer<typeof StoreFindings> {
  const of = (key: keyof Findings) => [...new Set(all.flatMap((list) => list?.[key] ?? []))];
  const shown = {
    unknown_groups: of('unknownGroups'),
    unknown_fields: of('unknownFields'),
    unfit_fields: of('unfitFields'),
  };
  return Object.fromEntries(Object.entries(shown).filter(([, keys]) => keys.length > 0));
}
