// Passkeys in the browser (WebAuthn): support detection, and requests to the authenticator.
import type { RegistrationResponseJSON } from '@simplewebauthn/browser';
import { client } from '#platform/web/api/api.ts';
import type { passkeyCalls } from '../passkey-contract.ts';

export const api = client<typeof passkeyCalls>();

/**
 * Returns whether passkeys work here: they require https or localhost, and a host name instead of
 * an IP address.
 */
export function canUsePasskeys(): boolean {
  const isNumber = /^[\d.]+$|^\[/.test(location.hostname);
  return globalThis.isSecureContext && 'PublicKeyCredential' in globalThis && !isNumber;
}

export type ShownPasskey = Awaited<ReturnType<typeof showPasskey>>;

/**
 * The user or the browser refused the request. `isKnown` is true if the device already has a
 * passkey of the user.
 */
export class PasskeyDismissed extends Error {
  readonly isKnown: boolean;
  constructor(error: unknown) {
    super('The passkey was not used.');
    this.isKnown = error instanceof Error && error.name === 'InvalidStateError';
  }
}

/** The contract describes only the challenge, because the library defines the other options. */
const toOptions = <Options extends { challenge: string }>(data: { challenge: string }) =>
  data as Options;

const throwDismissed = (error: unknown): never => {
  throw new PasskeyDismissed(error);
};

/**
 * Returns the authenticator's response for sign-in.
 * @throws PasskeyDismissed
 */
export async function showPasskey() {
  const { data } = await api('POST /auth/api/passkey/options');
  const { startAuthentication } = await import('@simplewebauthn/browser');
  const response = await startAuthentication({ optionsJSON: toOptions(data) }).catch(
    throwDismissed,
  );
  return { ...response, response: { ...response.response } };
}

/**
 * The server's challenge expires after five minutes, so an open page requests a new one before
 * that.
 */
const RENEW_CHALLENGE_MS = 4 * 60_000;

/**
 * Offers passkeys in the browser's own list at the address field, until the returned function is
 * called. Callers call it when another sign-in starts or the screen closes. Does nothing if the
 * browser has no such list.
 */
export function offerPasskeys(onChosen: (passkey: ShownPasskey) => void): () => void {
  let isStopped = false;
  let stop: (() => void) | undefined;
  let renewal: ReturnType<typeof setTimeout> | undefined;
  const offer = async () => {
    if (!canUsePasskeys() || !(await PublicKeyCredential.isConditionalMediationAvailable?.()))
      return;
    const { startAuthentication, WebAuthnAbortService } = await import('@simplewebauthn/browser');
    if (isStopped) return;
    const { data } = await api('POST /auth/api/passkey/options');
    if (isStopped) return;
    renewal = setTimeout(start, RENEW_CHALLENGE_MS);
    stop = () => WebAuthnAbortService.cancelCeremony();
    // A new request aborts the previous one.
    const response = await startAuthentication({
      optionsJSON: toOptions(data),
      useBrowserAutofill: true,
    });
    if (!isStopped) onChosen({ ...response, response: { ...response.response } });
  };
  // Ignores failures and cancellations: the screen shows the other ways to sign in.
  const start = () => void offer().catch(() => undefined);
  start();
  return () => {
    isStopped = true;
    clearTimeout(renewal);
    stop?.();
  };
}

/**
 * Creates a passkey; the server requires the password. Returns recovery codes if the user had no
 * second factor before, otherwise null.
 * @throws PasskeyDismissed
 */
export async function createPasskey(password: string, name: string): Promise<string[] | null> {
  const { data } = await api('POST /client-api/api/passkeys/options', { body: { password } });
  const { startRegistration } = await import('@simplewebauthn/browser');
  const registration: RegistrationResponseJSON = await startRegistration({
    optionsJSON: toOptions(data),
  }).catch(throwDismissed);
  const passkey = { ...registration, response: { ...registration.response } };
  const response = await api('POST /client-api/api/passkeys', { body: { name, passkey } });
  return response.data.recovery_codes;
}
