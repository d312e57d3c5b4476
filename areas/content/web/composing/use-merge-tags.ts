// Merge tags available in an email, with names in the user's language.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { MergeTag } from '#platform/web/editing/editing-context.ts';
import { api, resolveCall, type EmailRef } from './composing.ts';

/**
 * Kinds whose tags have a title in the response; the other tags are named in the user's language.
 */
const OWN_TITLES = new Set(['field', 'variable', 'list']);

export function useMergeTags(email: EmailRef): MergeTag[] {
  const t = useTexts('composing');
  const { data } = useQuery({
    ...api.query(resolveCall(email, 'GET /{base}/{id}/merge_tags'), { params: { id: email.id } }),
    staleTime: 60_000,
  });
  return useMemo(
    () =>
      (data?.data ?? []).map(({ name, title, kind, is_required: isRequired = false }) => ({
        name,
        kind,
        isRequired,
        title: OWN_TITLES.has(kind) ? title : t(`tags.${name}`),
      })),
    [data, t],
  );
}
