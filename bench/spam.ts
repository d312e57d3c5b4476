// `npm run bench -- spam [--show <name>]` shows the findings of SpamAssassin (Debian's package) in
// every template and system email, in every language. DKIM and SPF are looked up, but network
// blocklists are not.
import { generateKeyPairSync } from 'node:crypto';
import { parseArgs } from 'node:util';
import { isSpamAssassinAvailable, scoreEmails } from './spam/assassin.ts';
import { ADDRESS, DOMAIN, buildEmails, SELECTOR } from './spam/emails.ts';

const { values } = parseArgs({
  options: { json: { type: 'boolean' }, show: { type: 'string' } },
  allowPositionals: true,
});

/** Scores below this value are only informational. */
const MIN = 0.01;
/** The rule for the presence of a signature, which a valid signature offsets. */
const SIGNED = 'DKIM_SIGNED';
/**
 * The rule that treats the letters ė and ē as obfuscation, although Latvian and Lithuanian use
 * them.
 */
const ACCENTS = 'MIXED_ES';

if (!isSpamAssassinAvailable()) {
  console.error("This benchmark needs SpamAssassin (Debian's package spamassassin).");
  process.exit(2);
}

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
const spf = { TXT: [`v=spf1 ip4:${ADDRESS} -all`] };
const zone = new Map([
  [`${SELECTOR}._domainkey.${DOMAIN}`, { TXT: [`v=DKIM1; k=rsa; p=${key}`] }],
  [DOMAIN, spf],
  [`bounce.${DOMAIN}`, spf],
  [`relay.${DOMAIN}`, spf],
  [`_dmarc.${DOMAIN}`, { TXT: ['v=DMARC1; p=reject'] }],
]);
const emails = await buildEmails(privateKey);
const verdicts = await scoreEmails(emails, zone);

const hitsByRule = new Map<string, { score: number; names: string[] }>();
for (const { name, rules } of verdicts) {
  for (const [rule, score] of rules) {
    if (score < MIN || rule === SIGNED) continue;
    if (rule === ACCENTS && /(lav|lit)$/.test(name)) continue;
    const hits = hitsByRule.get(rule) ?? { score, names: [] };
    hits.names.push(name);
    hitsByRule.set(rule, hits);
  }
}
const scores = verdicts.map(({ score }) => score);
const proven = verdicts.filter(
  ({ rules }) => rules.has('DKIM_VALID_AU') && rules.has('SPF_PASS'),
).length;
const isClean =
  hitsByRule.size === 0 && verdicts.length === emails.length && proven === emails.length;

if (values.show) console.log(emails.find(({ name }) => name === values.show)?.bytes.toString());
console.log(
  `${verdicts.length} of ${emails.length} emails scored; scores from ${Math.min(...scores)} to ${Math.max(...scores)} (5 is spam)`,
);
console.log(`${proven} with a valid DKIM signature of their author's domain, and SPF`);
for (const [rule, { score, names }] of hitsByRule) {
  console.log(`  ${rule} ${score}: ${names.length} emails (${names.slice(0, 8).join(', ')})`);
}
if (values.json) {
  const rules = [...hitsByRule.keys()];
  console.log(JSON.stringify({ bench: 'spam', mails: emails.length, proven, rules }));
}
process.exit(isClean ? 0 : 1);
