// The tokens of this installation: their key comes from its SECRET.
import { derivedKey } from '#platform/server/secrets.ts';
import { type Tokens, tokensOf } from './token.ts';

let made: { key: Buffer; tokens: Tokens } | undefined;

export function installationTokens(): Tokens {
  const key = derivedKey('tracking tokens');
  if (made?.key !== key) made = { key, tokens: tokensOf(key.toString('base64')) };
  return made.tokens;
}
