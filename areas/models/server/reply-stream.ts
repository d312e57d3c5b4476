// Parses a streamed completion (server-sent events): its text so far, and at the end the complete
// response and the number of tokens used.
import type { Protocol } from '../shared.ts';
import type { ModelResponse } from './protocols.ts';

type Event = {
  type?: string;
  delta?: { text?: unknown };
  message?: { usage?: { input_tokens?: unknown } | null };
  usage?: Record<string, unknown> | null;
  choices?: { delta?: { content?: unknown } | null; finish_reason?: unknown }[];
};

export interface ReplyStream {
  /** The text that these bytes add. */
  push(bytes: Uint8Array): string;
  /** The text so far. */
  text(): string;
  /** Returns undefined if the response was cut off. */
  end(): ModelResponse | undefined;
}

const toText = (value: unknown) => (typeof value === 'string' ? value : '');
const countOf = (value: unknown) => (Number.isSafeInteger(value) ? Math.max(0, Number(value)) : 0);

export function createReplyStream(protocol: Protocol): ReplyStream {
  const decoder = new TextDecoder();
  const reply: ModelResponse = { text: '', tokensIn: 0, tokensOut: 0 };
  let isWhole = false;
  let partialLine = '';
  const readEvent = protocol === 'anthropic' ? readAnthropic : readOpenAi;
  const readLine = (line: string): string => {
    const data = /^data: ?(.*)$/.exec(line)?.[1];
    if (data === undefined) return '';
    if (data === '[DONE]') {
      isWhole = true;
      return '';
    }
    const { text, isLast } = readEvent(parseEvent(data), reply);
    isWhole ||= isLast;
    reply.text += text;
    return text;
  };
  return {
    push(bytes) {
      const lines = (partialLine + decoder.decode(bytes, { stream: true })).split(/\r?\n/);
      partialLine = lines.pop() ?? '';
      return lines.map(readLine).join('');
    },
    text: () => reply.text,
    end() {
      readLine(partialLine);
      return isWhole ? reply : undefined;
    },
  };
}

function parseEvent(data: string): Event {
  try {
    return Object(JSON.parse(data)) as Event;
  } catch {
    return {};
  }
}

type StreamedText = { text: string; isLast: boolean };

function readAnthropic(event: Event, reply: ModelResponse): StreamedText {
  reply.tokensIn ||= countOf(event.message?.usage?.input_tokens);
  // Token counts of the whole response so far.
  reply.tokensOut = countOf(event.usage?.output_tokens) || reply.tokensOut;
  const text = event.type === 'content_block_delta' ? toText(event.delta?.text) : '';
  return { text, isLast: event.type === 'message_stop' };
}

function readOpenAi(event: Event, reply: ModelResponse): StreamedText {
  reply.tokensIn = countOf(event.usage?.prompt_tokens) || reply.tokensIn;
  reply.tokensOut = countOf(event.usage?.completion_tokens) || reply.tokensOut;
  const [choice] = Array.isArray(event.choices) ? event.choices : [];
  return {
    text: toText(choice?.delta?.content),
    isLast: typeof choice?.finish_reason === 'string',
  };
}
