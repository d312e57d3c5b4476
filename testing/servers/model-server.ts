// A language model of the tests: answers by a script in both protocols, and records the requests.
import { createServer } from 'node:http';
import { atTheEnd } from '../setup/at-the-end.ts';

export type ModelServer = {
  address: string;
  /** Path, headers and parsed body of each request. */
  requests: { path: string; headers: Record<string, unknown>; body: Record<string, unknown> }[];
  /** Texts of the next answers, in order; the last one remains. A number is an HTTP status. */
  answers: (string | number)[];
  /** Replaces the figures of use in the answers; undefined: 100 and 20 tokens. */
  usage: unknown;
  /** Answers wait for it. */
  held: Promise<void> | undefined;
};

export async function startModelServer(): Promise<ModelServer> {
  const model: ModelServer = {
    ...{ address: '', requests: [], answers: ['ready'] },
    ...{ usage: undefined, held: undefined },
  };
  const usageOf = (figures: object) => (model.usage === undefined ? figures : model.usage);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
      model.requests.push({ path: request.url ?? '', headers: request.headers, body });
      await model.held;
      const next = model.answers.length > 1 ? model.answers.shift() : model.answers[0];
      if (typeof next === 'number') {
        response.writeHead(next, { location: 'http://127.0.0.1:1/' }).end('{}');
        return;
      }
      const isChat = request.url?.endsWith('/chat/completions');
      const answer = isChat
        ? {
            choices: [{ message: { role: 'assistant', content: next } }],
            usage: usageOf({ prompt_tokens: 100, completion_tokens: 20 }),
          }
        : {
            content: [{ type: 'text', text: next }],
            usage: usageOf({ input_tokens: 100, output_tokens: 20 }),
          };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  model.address = `http://127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}`;
  atTheEnd(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  return model;
}
