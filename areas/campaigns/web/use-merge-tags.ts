// What merge tags may name in this account, with their names in the reader's language.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTexts } from '#platform/web/texts.ts';
import type { MergeTag } from '#platform/web/editing/surroundings.ts';
import { api } from './queries.ts';

export function useMergeTags(id: string): MergeTag[] {
  const t = useTexts('campaigns');
  const { data } = useQuery({
    ...api.query('GET /client-api/api/campaigns/{id}/merge_tags', { params: { id } }),
    staleTime: 60_000,
  });
  return useMemo(
    () =>
      (data?.data ?? []).map(({ name, title, kind }) => ({
        name,
        kind,
        title: kind === 'field' ? title : t(`tags.names.${name}`),
      })),
    [data, t],
  );
}
