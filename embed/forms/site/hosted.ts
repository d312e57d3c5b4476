// The hosted page with scripts enabled: computes the proof of work, then submits the plain form; a
// wheel spins before the response is shown.
import { addCopyButton } from './copy-button.ts';
import { createCaptchaFrame } from './captcha.ts';
import { type Challenge, prove } from './prove.ts';

initForm();

function initForm(): void {
  addCopyButton(document);
  const form = document.querySelector<HTMLFormElement>('main form');
  if (!form) return;
  const { challenge, captcha, form: id = '' } = form.dataset;
  form.addEventListener('input', () => reportStart(id), { once: true });
  const field = form.querySelector<HTMLInputElement>('input[name=__proof]');
  if (captcha) addCaptcha(form, captcha, field);
  let proof: Promise<string> | undefined;
  const work = (address: string) => (proof ??= newProof(address));
  // The work starts at the first focus, so that submitting does not wait for it.
  if (challenge)
    form.addEventListener('focusin', () => void work(challenge).catch(() => undefined), {
      once: true,
    });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const button = form.querySelector('.sender-form-button');
    if (button?.hasAttribute('aria-busy')) return;
    button?.setAttribute('aria-busy', 'true');
    void (async () => {
      // If the work fails, the form is submitted without a proof, and the server returns the error.
      if (challenge && field) field.value = await work(challenge).catch(() => '');
      await send(form).catch(() => form.submit());
    })();
  });
}

const reportedIds = new Set<string>();

/** Counts a start once per page view, even if the form is rendered again. */
function reportStart(id: string): void {
  if (reportedIds.has(id)) return;
  reportedIds.add(id);
  const body = JSON.stringify({
    forms: { [id]: { start: 1 } },
    url: location.origin + location.pathname,
  });
  navigator.sendBeacon?.('/f/count', body);
}

async function send(form: HTMLFormElement): Promise<void> {
  const wheel = document.querySelector<HTMLElement>('main .wheel');
  if (!wheel) return form.submit();
  const fields = [...new FormData(form)].map(([name, value]) => [name, String(value)]);
  const response = await fetch(form.action, { method: 'POST', body: new URLSearchParams(fields) });
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const next = page.querySelector('main');
  if (!next) return form.submit();
  const spunWheel = next.querySelector<HTMLElement>('.wheel');
  if (spunWheel?.dataset.slice) {
    const path = '/f/r/wheel.js';
    const { spin } = (await import(/* @vite-ignore */ path)) as typeof import('./wheel.ts');
    await spin(wheel, wheel.querySelectorAll('li'), Number(spunWheel.dataset.slice));
    spunWheel.replaceWith(wheel);
  }
  document.querySelector('main')?.replaceWith(next);
  initForm();
  const feedback = next.querySelector<HTMLElement>('[aria-invalid],[role=status]');
  if (feedback?.role) feedback.tabIndex = -1;
  feedback?.focus();
}

function addCaptcha(form: HTMLFormElement, address: string, field: HTMLInputElement | null): void {
  const { frame } = createCaptchaFrame(address, location.origin, (token) => {
    if (field) field.value = token;
  });
  const button = form.querySelector('.sender-form-button');
  if (button) button.before(frame);
  else form.append(frame);
}

async function newProof(address: string): Promise<string> {
  const response = await fetch(address, { credentials: 'omit' });
  return prove((await response.json()) as Challenge);
}
