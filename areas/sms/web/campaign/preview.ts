// Queries the preview of unsaved content, which includes the copy with the most parts.
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, flagOf } from '../queries.ts';

export type SmsContent = {
  phone_id: string | null;
  text: string;
  prefix: boolean;
  optOut: boolean;
  analytics: boolean;
};

export const contentOf = ({ phone_id, text, prefix, optOut, analytics }: SmsContent) => ({
  phone_id: phone_id || null,
  text,
  add_organization_name: flagOf(prefix),
  append_opt_out: flagOf(optOut),
  google_analytics: flagOf(analytics),
});

/** The preview is requested shortly after the last keystroke. */
export function useSmsPreview(content: SmsContent, subscriber: string | null) {
  const current = { ...contentOf(content), ...(subscriber && { subscriber }) };
  const [request] = useDebouncedValue(current, 250);
  return useQuery({
    queryKey: ['sms preview', request],
    queryFn: ({ signal }) => api('POST /client-api/api/sms/preview', { body: request, signal }),
    placeholderData: keepPreviousData,
    retry: false,
  });
}
