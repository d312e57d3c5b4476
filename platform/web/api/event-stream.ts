// Calls with a response streamed as server-sent events.
import { readApiError, networkError } from '../api-error.ts';
import { type HttpOptions, respond } from './http.ts';

interface StreamOptions extends HttpOptions {
  /** Parts of the text, as they arrive. */
  onText: (text: string) => void;
}

/** Returns the complete response once the stream ends. */
export async function streamCall<Result>(
  path: string,
  { onText, ...options }: StreamOptions,
): Promise<Result> {
  const response = await respond('POST', path, options);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = '';
  for (;;) {
    const { value = '', done } = (await reader?.read().catch(rethrowLost)) ?? { done: true };
    const events = (buffer + value).split('\n\n');
    buffer = events.pop() ?? '';
    for (const event of events) {
      const [, name, data = 'null'] = /^event: (\w+)\ndata: (.*)$/s.exec(event) ?? [];
      const parsed: unknown = JSON.parse(data);
      if (name === 'text') onText(String(parsed));
      if (name === 'answer') return parsed as Result;
      if (name === 'error') throw await failureIn(parsed as { status: number; body: unknown });
    }
    if (done) throw networkError();
  }
}

function rethrowLost(error: unknown): never {
  if (error instanceof DOMException && error.name === 'AbortError') throw error;
  throw networkError();
}

const failureIn = ({ status, body }: { status: number; body: unknown }) =>
  readApiError(Response.json(body, { status }));
