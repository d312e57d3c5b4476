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
