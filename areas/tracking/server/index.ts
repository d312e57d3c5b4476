// The door of tracking: all that other areas may call.
export {
  installationTokens,
  TOKEN_LENGTH,
  type TokenFacts,
  type TokenPurpose,
  type Tokens,
  tokensOf,
} from './token.ts';
