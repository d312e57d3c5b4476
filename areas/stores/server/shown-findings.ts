// Formats the groups and fields of a plugin's call that could not be used, for the response.
import type { z } from 'zod';
import type { StoreFindings } from '../public-contract.ts';
import type { UnusedEntries } from './store-payloads.ts';

export function presentFindings(
  ...all: readonly (UnusedEntries | undefined)[]
): z.infer<typeof StoreFindings> {
  const distinct = (key: keyof UnusedEntries) => [
    ...new Set(all.flatMap((list) => list?.[key] ?? [])),
  ];
  const findings = {
    unknown_groups: distinct('unknownGroups'),
    unknown_fields: distinct('unknownFields'),
    unfit_fields: distinct('unfitFields'),
  };
  return Object.fromEntries(Object.entries(findings).filter(([, keys]) => keys.length > 0));
}
