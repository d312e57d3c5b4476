// The two protocols of language models: Messages of Anthropic and Chat Completions of OpenAI, which
// local servers such as Ollama and vLLM support as well. Requests contain only the prompt.
import { z } from 'zod';
import type { Protocol } from '../shared.ts';

export type ModelPrompt = {
  system: string;
  text: string;
  maxTokens: number;
  /** Whether the response is sent while the model generates it. */
  isStreamed?: boolean;
  /** An image, which precedes the text in the prompt. */
  image?: { type: 'image/jpeg'; base64: string };
};

type ProtocolRequest = {
  path: string;
  headers: Record<string, string>;
  body: Record<string, unknown>;
};

const ANTHROPIC_VERSION = '2023-06-01';

/** Servers may omit the token counts or send null; then the usage is estimated. */
const Count = z.number().int().nonnegative().catch(0);
const AnthropicResponse = z.object({
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
  usage: z.object({ input_tokens: Count, output_tokens: Count }).nullish().catch(undefined),
});
const OpenAiResponse = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string().nullable() }) })).min(1),
  usage: z.object({ prompt_tokens: Count, completion_tokens: Count }).nullish().catch(undefined),
});

/** Tokens are 0 if the server counts none. */
export type ModelResponse = { text: string; tokensIn: number; tokensOut: number };

const BYTES_PER_TOKEN = 4;
const IMAGE_TOKENS = 1600;

export const estimateTokens = (text: string): number =>
  Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);

export const estimatePromptTokens = ({ system, text, image }: ModelPrompt): number =>
  estimateTokens(system) + estimateTokens(text) + (image ? IMAGE_TOKENS : 0);

export function writeRequest(
  protocol: Protocol,
  model: string,
  key: string | undefined,
  { system, text, maxTokens, image, isStreamed = false }: ModelPrompt,
): ProtocolRequest {
  if (protocol === 'anthropic')
    return {
      path: '/v1/messages',
      headers: { 'anthropic-version': ANTHROPIC_VERSION, ...(key && { 'x-api-key': key }) },
      body: {
        model,
        max_tokens: maxTokens,
        system,
        messages: [{ role: 'user', content: image ? anthropicParts(text, image) : text }],
        ...(isStreamed && { stream: true }),
      },
    };
  return {
    path: '/chat/completions',
    headers: key ? { authorization: `Bearer ${key}` } : {},
    body: {
      model,
      max_tokens: maxTokens,
      messages: [
        { role: 'system', content: system },
        { role: 'user', content: image ? openAiParts(text, image) : text },
      ],
      ...(isStreamed && { stream: true, stream_options: { include_usage: true } }),
    },
  };
}

type PromptImage = NonNullable<ModelPrompt['image']>;

const anthropicParts = (text: string, { type, base64 }: PromptImage) => [
  { type: 'image', source: { type: 'base64', media_type: type, data: base64 } },
  { type: 'text', text },
];

const openAiParts = (text: string, { type, base64 }: PromptImage) => [
  { type: 'image_url', image_url: { url: `data:${type};base64,${base64}` } },
  { type: 'text', text },
];

/** Parses a response; returns undefined if it does not follow the protocol. */
export function readResponse(protocol: Protocol, body: unknown): ModelResponse | undefined {
  if (protocol === 'anthropic') {
    const { data } = AnthropicResponse.safeParse(body);
    return (
      data && {
        text: data.content.map((part) => part.text ?? '').join(''),
        tokensIn: data.usage?.input_tokens ?? 0,
        tokensOut: data.usage?.output_tokens ?? 0,
      }
    );
  }
  const { data } = OpenAiResponse.safeParse(body);
  return (
    data && {
      text: data.choices[0]?.message.content ?? '',
      tokensIn: data.usage?.prompt_tokens ?? 0,
      tokensOut: data.usage?.completion_tokens ?? 0,
    }
  );
}
