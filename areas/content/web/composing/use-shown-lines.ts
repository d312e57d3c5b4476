// The subject and preview text that the server renders for the newest subscriber. They are shown as
// written if they contain no merge tags, and until the response arrives.
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../queries.ts';

const REST_MS = 400;
const hasTags = (text: string) => text.includes('{{');

export interface ShownLines {
  subject: string;
  preheader: string;
  /** Whether the lines contain values of the subscriber. */
  isPersonal: boolean;
}

export function useShownLines(subject: string, preheader: string): ShownLines {
  const [settledSubject] = useDebouncedValue(subject, REST_MS);
  const [settledPreheader] = useDebouncedValue(preheader, REST_MS);
  const isNeeded = hasTags(subject + preheader);
  const rendering = useQuery({
    queryKey: ['envelope preview', settledSubject, settledPreheader],
    enabled: isNeeded && hasTags(settledSubject + settledPreheader),
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const { createBlock, createEmailDocument, createSection } = await import(
        '../../document-factory.ts'
      );
      // The renderer requires a body, which is not shown.
      const document = createEmailDocument([createSection([[createBlock('text')]])]);
      const body = { document, subject: settledSubject, preheader: settledPreheader };
      return (await api('POST /client-api/api/content/preview', { body, signal })).data;
    },
  }).data;
  if (!isNeeded || !rendering) return { subject, preheader, isPersonal: false };
  return { subject: rendering.subject, preheader: rendering.preheader, isPersonal: true };
}
