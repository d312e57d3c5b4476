// The preview of what is being typed, half a second behind the keys: the renderer's own answer.
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from './queries.ts';
import type { Draft, EditorKind } from './use-content.ts';

export function useDraftPreview(
  id: string,
  kind: EditorKind,
  draft: Draft | undefined,
  person: string | null,
) {
  const [settled] = useDebouncedValue(draft, 400);
  return useQuery({
    queryKey: ['draft preview', id, kind, settled, person],
    enabled: settled !== undefined,
    placeholderData: keepPreviousData,
    gcTime: 0,
    queryFn: ({ signal }) =>
      api('POST /client-api/api/campaigns/{id}/preview', {
        params: { id },
        body: {
          editor: kind,
          html: kind === 'html' ? (settled?.html ?? '') : null,
          plain_text: settled?.plainText ?? null,
          ...(kind === 'html' ? { inline_css: settled?.inlineCss ?? false } : {}),
          ...(person ? { subscriber: person } : {}),
        },
        signal,
      }),
  });
}
