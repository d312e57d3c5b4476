// Model responses in server-sent events, in pieces of any size.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Protocol } from '../shared.ts';
import { createReplyStream } from './reply-stream.ts';

const line = (data: unknown) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}`;
const CHUNKS = ['Gode ', 'tall – ', '🍵', ' نتیجه', ''];
const STREAMS: Record<Protocol, string[]> = {
  anthropic: [
    'event: message_start',
    line({ type: 'message_start', message: { usage: { input_tokens: 7, output_tokens: 1 } } }),
    ': a comment',
    ...CHUNKS.map((text) => line({ type: 'content_block_delta', delta: { text } })),
    line({ type: 'message_delta', usage: { output_tokens: 9 } }),
    line({ type: 'message_stop' }),
  ],
  openai: [
    line({ choices: [{ delta: { role: 'assistant' } }] }),
    ...CHUNKS.map((content) => line({ choices: [{ delta: { content } }] })),
    line({ choices: [{ delta: {}, finish_reason: 'stop' }], usage: null }),
    line({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 9 } }),
    line('[DONE]'),
  ],
};
const cases = Object.entries(STREAMS) as [Protocol, string[]][];
const COMPLETE = { text: CHUNKS.join(''), tokensIn: 7, tokensOut: 9 };

test.each(cases)('a %s response is parsed the same in chunks of any size', (protocol, lines) => {
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 200 })),
      fc.constantFrom('\n\n', '\r\n\r\n', '\n'),
      (cuts, end) => {
        const bytes = Buffer.from(lines.map((text) => text + end).join(''));
        const stream = createReplyStream(protocol);
        let output = '';
        let at = 0;
        for (const length of [...cuts, bytes.length]) {
          output += stream.push(bytes.subarray(at, at + length));
          at += length;
        }
        expect(output).toBe(COMPLETE.text);
        expect(stream.end()).toEqual(COMPLETE);
      },
    ),
  );
});

test.each(cases)(
  'an answer of %s that is cut off before its stop event counts as no answer',
  (protocol, lines) => {
    for (let count = 0; count < lines.length; count++) {
      const stream = createReplyStream(protocol);
      stream.push(Buffer.from(lines.slice(0, count).join('\n\n')));
      const hasStopped = count > lines.findIndex((text) => text.includes('"stop"'));
      expect(stream.end() !== undefined).toBe(protocol === 'openai' && hasStopped);
    }
  },
);

test('malformed and unrelated events add nothing to a response', () => {
  for (const protocol of ['anthropic', 'openai'] as const) {
    const stream = createReplyStream(protocol);
    for (const data of [
      'null',
      '1',
      '"x"',
      '[]',
      '{',
      '{"choices":7}',
      '{"usage":"x"}',
      '{"delta":1}',
    ])
      expect(stream.push(Buffer.from(`${line(data)}\n\n`))).toBe('');
    expect(stream.end()).toBeUndefined();
  }
});
