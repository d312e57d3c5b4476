// The card form that Stripe's own script renders into billing's frame.
import type { CardForm } from '#areas/billing/server/gateway-provider.ts';

export const CARD_FORM: CardForm = {
  hosts: {
    script: ['https://js.stripe.com/v3/stripe.js', 'https://js.stripe.com'],
    frame: ['https://js.stripe.com', 'https://hooks.stripe.com'],
    connect: ['https://api.stripe.com'],
  },
  script: `cardForm.mount(async ({ token }) => {
  const { words, showError } = cardForm;
  const stripe = Stripe(token);
  const elements = stripe.elements();
  const style = { base: { fontSize: '15px', color: getComputedStyle(document.body).color, lineHeight: '38px' } };
  const fields = { number: 'cardNumber', expiry: 'cardExpiry', code: 'cardCvc' };
  const mounted = Object.entries(fields).map(([name, kind]) => {
    const element = elements.create(kind, { style });
    element.mount('#' + name + '-field');
    element.on('change', (event) => showError(name, event.error ? words[name + 'Invalid'] : ''));
    return element;
  });
  return async () => {
    const { error, paymentMethod } = await stripe.createPaymentMethod({ type: 'card', card: mounted[0] });
    if (paymentMethod) return paymentMethod.id;
    const [word] = /expiry|cvc|number/.exec(error.code) || [];
    if (!word) throw error;
    const name = word === 'cvc' ? 'code' : word;
    showError(name, words[name + 'Invalid']);
    return null;
  };
});`,
  styles: '.field{padding:0 12px}',
};
