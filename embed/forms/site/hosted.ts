// The hosted page where scripts run: does the proof of work, then sends the plain form as it is.
import { captchaFrame } from './captcha.ts';
import { type Challenge, prove } from './prove.ts';

const form = document.querySelector<HTMLFormElement>('form[data-challenge]');
if (form) begin(form);
const guarded = document.querySelector<HTMLFormElement>('form[data-captcha]');
if (guarded) {
  const field = guarded.querySelector<HTMLInputElement>('input[name=__proof]');
  const button = guarded.querySelector('.sender-form-button');
  const box = captchaFrame(guarded.dataset.captcha ?? '', location.origin, (token) => {
    if (field) field.value = token;
  });
  if (button) button.before(box);
  else guarded.append(box);
}

function begin(form: HTMLFormElement): void {
  const field = form.querySelector<HTMLInputElement>('input[name=__proof]');
  let proof: Promise<string> | undefined;
  const work = () => (proof ??= newProof(form.dataset.challenge ?? ''));
  // From the first focus on, so that nobody waits for it at the end.
  form.addEventListener('focusin', () => void work().catch(() => undefined), { once: true });
  form.addEventListener('submit', (event) => {
    if (!field || field.value) return;
    event.preventDefault();
    void work()
      .then((solved) => {
        field.value = solved;
      })
      // Without one, too: the server says what it wants.
      .catch(() => undefined)
      .finally(() => form.submit());
  });
}

async function newProof(address: string): Promise<string> {
  const answer = await fetch(address, { credentials: 'omit' });
  return prove((await answer.json()) as Challenge);
}
