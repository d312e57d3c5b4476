// Renders a 20 KB message with 12 tracked links, a pixel and merge fields for one recipient after
// another into a reused buffer. For comparison, it also copies the same bytes without rendering;
// no renderer can be faster. `--json` ends with {"ratio": …}, the rate of rendering ÷ the rate of
// copying.
import { generateKeyPairSync } from 'node:crypto';
import { compileMessage } from '#areas/content/server/mime/compile-message.ts';
import { renderDocument } from '#areas/content/server/document/render-document.ts';
import {
  createLargeDocument,
  SAMPLE_CONTEXT,
} from '#areas/content/server/document/sample-document.ts';
import { createSigner } from '#areas/content/server/mime/dkim.ts';
import {
  createRenderMoment,
  type MessageRecipient,
  render,
} from '#areas/content/server/mime/render.ts';
import { sampleSource } from '#areas/content/server/sample-source.ts';
import { createTokens } from '#areas/tracking/server/index.ts';

const BATCH = 2000;
const ROUNDS = 15;

const PARAGRAPH =
  '<p style="margin:0 0 16px;font:16px/24px Arial">Fresh leaves, picked in spring.</p>\n';
const rows = Array.from(
  { length: 12 },
  (_, i) =>
    `<tr><td>${PARAGRAPH.repeat(11)}<a href="https://tea.example/tea/${i}?from=mail&amp;n=${i}">Tea ${i}</a></td></tr>\n`,
);
const source = sampleSource({
  html: `<!doctype html><html><body><p>Dear {{ firstname | default: "friend" }},</p><table>${rows.join('')}</table>
<p>{{ firstname }} {{ lastname }}, {{ email }}</p><a href="{{unsubscribe_link}}">Unsubscribe</a> Storgata 1</body></html>`,
  text: `Dear {{ firstname | default: "friend" }},\n\n${'Fresh leaves, picked in spring.\n'.repeat(60)}`,
});
const compiledMessage = compileMessage(source);
const tokens = createTokens('a benchmark');
const copies = Array.from({ length: BATCH }, (_, i) => ({
  account: 1,
  message: 2,
  subscriber: i,
  ordinal: i,
}));
const moment = createRenderMoment(new Date(), compiledMessage.locale);
const buffer = Buffer.alloc(256 * 1024);

function makeRecipients(): MessageRecipient[] {
  const [link = [], id = []] = tokens.makeMany(copies, ['link', 'messageId']);
  return copies.map((_, i) => {
    const email = `person${i}@example.com`;
    const values = { firstname: i % 3 === 0 ? '' : `Åse ${i}`, lastname: 'Nordmann', email };
    return { email, token: link[i] as string, message_token: id[i] as string, values };
  });
}

const recipients = makeRecipients();
const compiledConditional = compileMessage(sampleSource(await conditionalEmail()));
const size = render(compiledMessage, recipients[1] as MessageRecipient, moment, buffer, 0);
const sample = Buffer.from(buffer.subarray(0, size));
/** Returns a document of twenty blocks where every second section has a display condition. */
async function conditionalEmail() {
  const document = createLargeDocument(20);
  for (const [i, section] of document.sections.entries()) {
    const rule = { kind: 'field', field: 'firstname', operator: 'blank', value: '' } as const;
    if (i % 2 === 1) section.condition = { match: 'all', rules: [rule] };
  }
  return renderDocument(document, SAMPLE_CONTEXT);
}
const signer = (kind: 'rsa' | 'ed25519') => {
  const key =
    kind === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ed25519');
  return createSigner([{ domain: 'tea.example', selector: 's1', key: key.privateKey }]);
};

function renderAll(): void {
  for (const recipient of recipients) render(compiledMessage, recipient, moment, buffer, 0);
}
function signedBy(kind: 'rsa' | 'ed25519', batchDivisor: number): () => void {
  const emailSigner = signer(kind);
  return () => {
    for (let i = 0; i < BATCH / batchDivisor; i++) {
      const end = render(
        compiledMessage,
        recipients[i] as MessageRecipient,
        moment,
        buffer,
        emailSigner.length,
      );
      emailSigner.sign(buffer, 0, end, moment.now);
    }
  };
}

const CONTESTANTS: { name: string; batchDivisor: number; run: () => void; times: number[] }[] = [
  {
    name: 'copy of the same bytes (the limit)',
    batchDivisor: 1,
    times: [],
    run: () => recipients.forEach(() => buffer.set(sample, 0)),
  },
  { name: 'render', batchDivisor: 1, times: [], run: renderAll },
  {
    name: 'render a document with conditions',
    batchDivisor: 1,
    times: [],
    run: () => {
      for (const recipient of recipients) render(compiledConditional, recipient, moment, buffer, 0);
    },
  },
  {
    name: 'two tokens of each recipient',
    batchDivisor: 1,
    times: [],
    run: () => void makeRecipients(),
  },
  { name: 'render and sign, Ed25519', batchDivisor: 4, times: [], run: signedBy('ed25519', 4) },
  { name: 'render and sign, RSA-2048', batchDivisor: 20, times: [], run: signedBy('rsa', 20) },
];
for (const { run } of CONTESTANTS) run();
for (let round = 0; round < ROUNDS; round++) {
  for (const contestant of CONTESTANTS) {
    const startedAt = performance.now();
    contestant.run();
    contestant.times.push(
      ((performance.now() - startedAt) * 1000 * contestant.batchDivisor) / BATCH,
    );
  }
}

const median = (times: number[]) => times.toSorted((a, b) => a - b)[times.length >> 1] as number;
const results = CONTESTANTS.map(({ name, times }) => ({ name, microseconds: median(times) }));
console.log(
  `A message of ${size} bytes, ${compiledMessage.links.length} links; median of ${ROUNDS} interleaved rounds`,
);
for (const { name, microseconds } of results) {
  console.log(`${name.padEnd(38)} ${microseconds.toFixed(2).padStart(9)} µs`);
}
if (process.argv.includes('--json')) {
  const [copy, rendered] = results.map((result) => result.microseconds) as [number, number];
  console.log(JSON.stringify({ ratio: copy / rendered, figures: results, bytes: size }));
}
