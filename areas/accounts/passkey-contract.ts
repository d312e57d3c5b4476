// The calls of passkeys: the own ones, and signing in with one.
import { z } from 'zod';
import { dataAnswer, defineCalls, Done, Id, idOf, Instant, line } from '#platform/contract.ts';
import { PasskeyAnswer, Signed, WireText } from './contract.ts';
import { PASSKEY_NAME_MOST } from './limits.ts';

const NewPasskey = z.looseObject({
  id: z.string().min(1).max(2_000),
  rawId: z.string().max(2_000),
  type: z.literal('public-key'),
  response: z.looseObject({ clientDataJSON: WireText, attestationObject: WireText }),
});

const Name = line(PASSKEY_NAME_MOST, 1);
const Options = dataAnswer(z.looseObject({ challenge: z.string() }));
const Password = z.string().max(1000);

export const Passkey = z.object({
  id: Id,
  name: z.string(),
  created: Instant,
  last_used: Instant.nullable(),
});
export type Passkey = z.infer<typeof Passkey>;

export const passkeyCalls = defineCalls({
  listPasskeys: {
    method: 'GET',
    path: '/client-api/api/passkeys',
    who: 'account',
    isPersonal: true,
    summary: 'The passkeys of the own user, the newest first',
    answer: dataAnswer(z.array(Passkey)),
  },
  beginPasskey: {
    method: 'POST',
    path: '/client-api/api/passkeys/options',
    who: 'account',
    isPersonal: true,
    summary: 'What a browser asks an authenticator for a new passkey with',
    body: z.strictObject({ password: Password }),
    answer: Options,
    errors: { wrong_password: 422, too_many_passkeys: 422 },
  },
  addPasskey: {
    method: 'POST',
    path: '/client-api/api/passkeys',
    who: 'account',
    isPersonal: true,
    summary: 'Keeps a new passkey; with the first second factor come recovery codes, this once',
    body: z.strictObject({ name: Name, passkey: NewPasskey }),
    answer: dataAnswer(
      z.object({ passkey: Passkey, recovery_codes: z.array(z.string()).nullable() }),
    ),
    errors: { passkey_failed: 422, too_many_passkeys: 422 },
  },
  renamePasskey: {
    method: 'PATCH',
    path: '/client-api/api/passkeys/{id}',
    who: 'account',
    isPersonal: true,
    summary: 'Names a passkey',
    params: z.object({ id: idOf('passkey') }),
    body: z.strictObject({ name: Name }),
    answer: dataAnswer(Passkey),
  },
  removePasskey: {
    method: 'POST',
    path: '/client-api/api/passkeys/{id}/remove',
    who: 'account',
    isPersonal: true,
    summary: 'Takes a passkey away; with the last second factor go the recovery codes',
    params: z.object({ id: idOf('passkey') }),
    body: z.strictObject({ password: Password }),
    answer: Done,
    errors: { wrong_password: 422 },
  },
  beginSignIn: {
    method: 'POST',
    path: '/auth/api/passkey/options',
    who: 'visitor',
    summary: 'What a browser asks an authenticator for to sign in',
    answer: Options,
  },
  signInByPasskey: {
    method: 'POST',
    path: '/auth/api/passkey',
    who: 'visitor',
    summary: 'Signs in with a passkey, without address and password',
    body: z.strictObject({ passkey: PasskeyAnswer }),
    answer: Signed,
    errors: { passkey_failed: 422 },
  },
});
