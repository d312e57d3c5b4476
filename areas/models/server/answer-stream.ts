// An answer that arrives in server-sent events: its text so far, and at the end the complete answer
// with the number of tokens used.
import type { Protocol } from '../shared.ts';
import type { ModelAnswer } from './protocols.ts';

type Event = {
  type?: string;
  delta?: { text?: unknown };
  message?: { usage?: { input_tokens?: unknown } | null };
  usage?: Record<string, unknown> | null;
  choices?: { delta?: { content?: unknown } | null; finish_reason?: unknown }[];
};

export interface AnswerStream {
  /** The text that these bytes add. */
  push(bytes: Uint8Array): string;
  /** The text so far. */
  text(): string;
  /** Undefined if the answer was cut off. */
  end(): ModelAnswer | undefined;
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
const countOf = (value: unknown) => (Number.isSafeInteger(value) ? Math.max(0, Number(value)) : 0);

export function answerStream(protocol: Protocol): AnswerStream {
  const decoder = new TextDecoder();
  const answer: ModelAnswer = { text: '', tokensIn: 0, tokensOut: 0 };
  let isWhole = false;
  let rest = '';
  const read = protocol === 'anthropic' ? readAnthropic : readOpenAi;
  const readLine = (line: string): string => {
    const data = /^data: ?(.*)$/.exec(line)?.[1];
    if (data === undefined) return '';
    if (data === '[DONE]') {
      isWhole = true;
      return '';
    }
    const { text, isLast } = read(eventIn(data), answer);
    isWhole ||= isLast;
    answer.text += text;
    return text;
  };
  return {
    push(bytes) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r?\n/);
      rest = lines.pop() ?? '';
      return lines.map(readLine).join('');
    },
    text: () => answer.text,
    end() {
      readLine(rest);
      return isWhole ? answer : undefined;
    },
  };
}

function eventIn(data: string): Event {
  try {
    return Object(JSON.parse(data)) as Event;
  } catch {
    return {};
  }
}

type Read = { text: string; isLast: boolean };

function readAnthropic(event: Event, answer: ModelAnswer): Read {
  answer.tokensIn ||= countOf(event.message?.usage?.input_tokens);
  // Token counts of the whole answer so far.
  answer.tokensOut = countOf(event.usage?.output_tokens) || answer.tokensOut;
  const text = event.type === 'content_block_delta' ? textOf(event.delta?.text) : '';
  return { text, isLast: event.type === 'message_stop' };
}

function readOpenAi(event: Event, answer: ModelAnswer): Read {
  answer.tokensIn = countOf(event.usage?.prompt_tokens) || answer.tokensIn;
  answer.tokensOut = countOf(event.usage?.completion_tokens) || answer.tokensOut;
  const [choice] = Array.isArray(event.choices) ? event.choices : [];
  return {
    text: textOf(choice?.delta?.content),
    isLast: typeof choice?.finish_reason === 'string',
  };
}
