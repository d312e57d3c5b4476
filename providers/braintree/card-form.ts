// Braintree's card form: hosted fields in iframes, then the bank's challenge over the form if
// required (3-D Secure). The result is a single-use nonce.
// https://braintree.github.io/braintree-web/current/ThreeDSecure.html
import type { CardForm } from '#areas/billing/server/gateway-provider.ts';

/**
 * Since 2026 the banks' challenges are on new hosts, which versions before 3.121 do not support.
 */
const SCRIPTS = 'https://js.braintreegateway.com/web/3.144.0/js';

export function renderCardForm({
  requires3ds: requiresChallenge,
}: {
  requires3ds: boolean;
}): CardForm {
  const modules = ['client', 'hosted-fields', ...(requiresChallenge ? ['three-d-secure'] : [])];
  const ifChallenged = (sources: string[]) => (requiresChallenge ? sources : []);
  const networks = ['https://*.cardinalcommerce.com', 'https://*.cardinaltrusted.com'];
  return {
    hosts: {
      script: [
        ...modules.map((module) => `${SCRIPTS}/${module}.min.js`),
        'https://js.braintreegateway.com',
        ...ifChallenged(networks),
      ],
      // Each bank's challenge is a page on its own host, so the hosts cannot be listed.
      frame: ['https://assets.braintreegateway.com', ...ifChallenged(['https:'])],
      form: ifChallenged(['https:']),
      connect: [
        'https://api.braintreegateway.com',
        'https://api.sandbox.braintreegateway.com',
        'https://client-analytics.braintreegateway.com',
        'https://payments.braintree-api.com',
        'https://payments.sandbox.braintree-api.com',
        ...ifChallenged(networks),
      ],
    },
    script: `const requires3ds = ${requiresChallenge};\n${SCRIPT}`,
    styles: '.field{padding:0 12px}',
  };
}

const SCRIPT = `cardForm.mount(async ({ token }) => {
  const { words, showError } = cardForm;
  const client = await braintree.client.create({ authorization: token });
  const [fields, bank] = await Promise.all([
    braintree.hostedFields.create({
      client,
      styles: { input: { 'font-size': '15px', color: getComputedStyle(document.body).color } },
      fields: { number: { container: '#number-field' }, expirationDate: { container: '#expiry-field' }, cvv: { container: '#code-field' } },
    }),
    requires3ds ? braintree.threeDSecure.create({ version: 2, client }) : undefined,
  ]);
  bank?.on('authentication-modal-render', () => cardForm.makeRoom(600));
  bank?.on('authentication-modal-close', () => cardForm.makeRoom(0));
  const names = { number: 'number', expirationDate: 'expiry', cvv: 'code' };
  return async ({ amount, email }) => {
    const state = fields.getState().fields;
    const invalid = Object.entries(names).filter(([field]) => !state[field].isValid);
    for (const [, name] of invalid) showError(name, words[name + 'Invalid']);
    if (invalid.length > 0) return null;
    const tokenized = await fields.tokenize();
    if (!bank) return tokenized.nonce;
    const lookup = { amount, email, nonce: tokenized.nonce, bin: tokenized.details.bin, onLookupComplete: (_, next) => next() };
    const confirmed = await bank.verifyCard(lookup).catch((error) => {
      console.error(error);
      return { liabilityShifted: false };
    }).finally(() => cardForm.makeRoom(0));
    if (confirmed.liabilityShifted) return confirmed.nonce;
    showError('form', words.unconfirmed);
    return null;
  };
});`;
