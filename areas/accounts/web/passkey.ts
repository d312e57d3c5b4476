// Passkeys in the browser (WebAuthn): whether there can be any here, and asking its authenticator.
import type { RegistrationResponseJSON } from '@simplewebauthn/browser';
import { client } from '#platform/web/api.ts';
import type { passkeyCalls } from '../passkey-contract.ts';

export const api = client<typeof passkeyCalls>();

/** They are for names reached by https, and this machine's own. */
export function canUsePasskeys(): boolean {
  const isNumber = /^[\d.]+$|^\[/.test(location.hostname);
  return globalThis.isSecureContext && 'PublicKeyCredential' in globalThis && !isNumber;
}

export type ShownPasskey = Awaited<ReturnType<typeof showPasskey>>;

/** The user, or the browser for them, said no; `isKnown`: the device has one already. */
export class PasskeyDismissed extends Error {
  readonly isKnown: boolean;
  constructor(error: unknown) {
    super('The passkey was not used.');
    this.isKnown = error instanceof Error && error.name === 'InvalidStateError';
  }
}

const dismissed = (error: unknown): never => {
  throw new PasskeyDismissed(error);
};

/** What an authenticator signs to sign in. @throws PasskeyDismissed */
export async function showPasskey() {
  const { data } = await api('POST /auth/api/passkey/options');
  const { startAuthentication } = await import('@simplewebauthn/browser');
  const shown = await startAuthentication({ optionsJSON: data as never }).catch(dismissed);
  return { ...shown, response: { ...shown.response } };
}

/** The server's question is good for five minutes: a page that stands open asks anew before. */
const FRESH_MS = 4 * 60_000;

/**
 * Has the browser offer passkeys in its own list at the field of the address, until the returned function ends
 * that: once another way is taken, and when the screen goes. Silent where the browser has no such list.
 */
export function offerPasskeys(take: (passkey: ShownPasskey) => void): () => void {
  let isOver = false;
  let stop: (() => void) | undefined;
  let renewal: ReturnType<typeof setTimeout> | undefined;
  const offer = async () => {
    if (!canUsePasskeys() || !(await PublicKeyCredential.isConditionalMediationAvailable?.()))
      return;
    const { startAuthentication, WebAuthnAbortService } = await import('@simplewebauthn/browser');
    if (isOver) return;
    const { data } = await api('POST /auth/api/passkey/options');
    if (isOver) return;
    renewal = setTimeout(begin, FRESH_MS);
    stop = () => WebAuthnAbortService.cancelCeremony();
    // Beginning again ends what was offered before.
    const shown = await startAuthentication({
      optionsJSON: data as never,
      useBrowserAutofill: true,
    });
    if (!isOver) take({ ...shown, response: { ...shown.response } });
  };
  // Whoever ends it, or cannot be asked: the other ways stand on the screen.
  const begin = () => void offer().catch(() => undefined);
  begin();
  return () => {
    isOver = true;
    clearTimeout(renewal);
    stop?.();
  };
}

/** A new passkey, by the password; codes where it is the first second factor. @throws PasskeyDismissed */
export async function createPasskey(password: string, name: string): Promise<string[] | null> {
  const { data } = await api('POST /client-api/api/passkeys/options', { body: { password } });
  const { startRegistration } = await import('@simplewebauthn/browser');
  const made: RegistrationResponseJSON = await startRegistration({
    optionsJSON: data as never,
  }).catch(dismissed);
  const passkey = { ...made, response: { ...made.response } };
  const kept = await api('POST /client-api/api/passkeys', { body: { name, passkey } });
  return kept.data.recovery_codes;
}
