// A language model for tests, with the protocols of OpenAI's chat completions and Anthropic's
// messages. It returns the scripted answers, complete or as server-sent events, and records the
// requests.
import { createServer, type ServerResponse } from 'node:http';
import { runAtEnd } from '../setup/at-the-end.ts';

export type ModelServer = {
  address: string;
  /** Path, headers and parsed body of each request. */
  requests: { path: string; headers: Record<string, unknown>; body: Record<string, unknown> }[];
  /**
   * The next responses in order; the last one repeats. A number is the HTTP status of a response
   * without text.
   */
  responses: (string | number)[];
  /** Replaces the usage in the answers; by default, 100 input tokens and 20 output tokens. */
  usage: unknown;
  /**
   * Delays the response until this promise resolves; a streamed response pauses after its first
   * text event.
   */
  responseGate: Promise<void> | undefined;
  /** The number of connections that closed before their answer was sent completely. */
  droppedCount: number;
};

type Events = (object | string)[];

/** Returns a response's events in the order of the real services, with the text in two parts. */
function eventsOf(path: string, text: string, usageOf: (usage: object) => unknown): Events {
  const middle = Math.ceil(text.length / 2);
  const halves = [text.slice(0, middle), text.slice(middle)];
  if (path.endsWith('/chat/completions'))
    return [
      ...halves.map((content) => ({ choices: [{ delta: { content }, finish_reason: null }] })),
      { choices: [{ delta: {}, finish_reason: 'stop' }] },
      { choices: [], usage: usageOf({ prompt_tokens: 100, completion_tokens: 20 }) },
      '[DONE]',
    ];
  const delta = (part: string) => ({
    ...{ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: part } },
  });
  return [
    { type: 'message_start', message: { usage: usageOf({ input_tokens: 100 }) } },
    ...halves.map(delta),
    { type: 'message_delta', usage: usageOf({ output_tokens: 20 }) },
    { type: 'message_stop' },
  ];
}

async function sendEvents(
  response: ServerResponse,
  events: Events,
  hold: () => Promise<void> | undefined,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const firstText = events.findIndex((event) => Object(event).type !== 'message_start');
  for (const [at, event] of events.entries()) {
    if (at === firstText + 1) await hold();
    const { type } = Object(event) as { type?: string };
    const name = type ? `event: ${type}\n` : '';
    response.write(`${name}data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
  }
  response.end();
}

export async function startModelServer(): Promise<ModelServer> {
  const model: ModelServer = {
    ...{ address: '', requests: [], responses: ['ready'] },
    ...{ usage: undefined, responseGate: undefined, droppedCount: 0 },
  };
  const usageOf = (usage: object) => (model.usage === undefined ? usage : model.usage);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
      model.requests.push({ path: request.url ?? '', headers: request.headers, body });
      response.once('close', () => {
        if (!response.writableFinished) model.droppedCount++;
      });
      const next = model.responses.length > 1 ? model.responses.shift() : model.responses[0];
      if (body.stream === true && typeof next === 'string') {
        await sendEvents(
          response,
          eventsOf(request.url ?? '', next, usageOf),
          () => model.responseGate,
        );
        return;
      }
      await model.responseGate;
      if (typeof next === 'number') {
        response.writeHead(next, { location: 'http://127.0.0.1:1/' }).end('{}');
        return;
      }
      const isChat = request.url?.endsWith('/chat/completions');
      const completion = isChat
        ? {
            choices: [{ message: { role: 'assistant', content: next } }],
            usage: usageOf({ prompt_tokens: 100, completion_tokens: 20 }),
          }
        : {
            content: [{ type: 'text', text: next }],
            usage: usageOf({ input_tokens: 100, output_tokens: 20 }),
          };
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(completion));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  model.address = `http://127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}`;
  runAtEnd(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  return model;
}
