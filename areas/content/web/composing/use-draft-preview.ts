// Live preview from the server's renderer, requested after a short pause in typing.
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, resolveCall, type EmailRef } from './composing.ts';
import type { ContentDraft, EditorKind } from './use-content.ts';

export function useDraftPreview(
  email: EmailRef,
  kind: EditorKind,
  draft: ContentDraft | undefined,
  subscriberId: string | null,
) {
  const [settled] = useDebouncedValue(draft, 400);
  const { basePath, id } = email;
  const { data } = useQuery({
    queryKey: ['draft preview', basePath, id, kind, settled, subscriberId],
    enabled: settled !== undefined,
    placeholderData: keepPreviousData,
    gcTime: 0,
    queryFn: ({ signal }) =>
      api(resolveCall(email, 'POST /{base}/{id}/preview'), {
        params: { id },
        body: {
          editor: kind,
          html: kind === 'html' ? (settled?.html ?? '') : null,
          plain_text: settled?.plainText ?? null,
          ...(kind === 'html' ? { inline_css: settled?.inlineCss ?? false } : {}),
          ...(subscriberId ? { subscriber: subscriberId } : {}),
        },
        signal,
      }),
  });
  return data?.data;
}
