// Queries for assistance.
import { useQuery } from '@tanstack/react-query';
import { client } from '#platform/web/api/api.ts';
import type { Language } from '#platform/languages.ts';
import type { calls, ModelRequest } from '../contract.ts';
import { MAX_TEXTS, type TextTask } from '../shared.ts';

export const api = client<typeof calls>();
export const ASSISTANCE = '/client-api/api/assistance';

export const useModel = () => useQuery(api.query('GET /client-api/api/assistance'));

/** Returns whether suggestions are offered: only once an administrator has chosen a model. */
export function useIsAssisted(): boolean {
  // Until the response arrives, screens work as if there were no model.
  const model = useQuery({
    ...api.query('GET /client-api/api/assistance'),
    retry: false,
    meta: { notFound: 'inline' },
  });
  return model.data?.data?.is_on === true;
}

type TextsInput = {
  task: TextTask;
  texts: readonly string[];
  language: Language;
  instruction?: string;
  is_confirmed: boolean;
  signal?: AbortSignal;
};

/**
 * Requests text suggestions. Without confirmation, the response only contains the request that
 * would be sent.
 */
export const suggestTexts = ({ texts, signal, ...rest }: TextsInput) =>
  api('POST /client-api/api/assistance/texts', {
    body: { texts: [...texts], ...rest },
    ...(signal && { signal }),
  });

/**
 * Maximum total characters of several texts in one request, so that the model responds within the
 * time limit.
 */
const BATCH_CHARACTERS = 4000;

/**
 * Requests suggestions for any number of texts in sequential requests and combines the results.
 * @param onTexts called after each response, with the number of texts that have arrived
 */
export async function suggestManyTexts(
  input: TextsInput,
  onTexts?: (count: number) => void,
): Promise<{ request: ModelRequest; texts: string[] | null }> {
  const requests: ModelRequest[] = [];
  const texts: string[] = [];
  for (const batch of splitBatches(input.texts)) {
    const { data } = await suggestTexts({ ...input, texts: batch });
    requests.push(data.request);
    texts.push(...(data.texts ?? []));
    if (data.texts) onTexts?.(texts.length);
  }
  const [first] = requests;
  const request = {
    host: first?.host ?? '',
    body: requests.map(({ body }) => body).join('\n\n'),
    personal: [...new Set(requests.flatMap(({ personal }) => personal))],
    image: null,
    cost: sumCosts(requests),
  };
  return { request, texts: input.is_confirmed ? texts : null };
}

function sumCosts(requests: readonly ModelRequest[]): ModelRequest['cost'] {
  const currency = requests[0]?.cost?.currency;
  if (!currency) return null;
  return { amount: requests.reduce((sum, { cost }) => sum + (cost?.amount ?? 0), 0), currency };
}

function splitBatches(texts: readonly string[]): string[][] {
  const batches: string[][] = [];
  let characters = 0;
  for (const text of texts) {
    const lastBatch = batches.at(-1);
    characters += text.length;
    if (lastBatch && lastBatch.length < MAX_TEXTS && characters <= BATCH_CHARACTERS)
      lastBatch.push(text);
    else {
      batches.push([text]);
      characters = text.length;
    }
  }
  return batches;
}
