// Queries the preview of unsaved content, which includes the copy with the most parts.
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, toFlag } from '../queries.ts';

export type SmsContent = {
  phone_id: string | null;
  text: string;
  prefix: boolean;
  optOut: boolean;
  analytics: boolean;
};

export const toContent = ({ phone_id, text, prefix, optOut, analytics }: SmsContent) => ({
  phone_id: phone_id || null,
  text,
  add_organization_name: toFlag(prefix),
  append_opt_out: toFlag(optOut),
  google_analytics: toFlag(analytics),
});

/** Requests the preview shortly after the last keystroke. */
export function useSmsPreview(content: SmsContent, subscriber: string | null) {
  const previewBody = { ...toContent(content), ...(subscriber && { subscriber }) };
  const [request] = useDebouncedValue(previewBody, 250);
  return useQuery({
    queryKey: ['sms preview', request],
    queryFn: ({ signal }) => api('POST /client-api/api/sms/preview', { body: request, signal }),
    placeholderData: keepPreviousData,
    retry: false,
  });
}
