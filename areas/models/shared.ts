// Limits and choices of assistance, shared by server and screens.

/** APIs: Messages by Anthropic; Chat Completions by OpenAI, which Ollama and vLLM offer as well. */
export const PROTOCOLS = ['anthropic', 'openai'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

export const TEXT_TASKS = ['subject_lines', 'rewrite', 'translate'] as const;
export type TextTask = (typeof TEXT_TASKS)[number];

export const MAX_TEXTS = 60;
export const MAX_TEXT_LENGTH = 10_000;
export const MAX_INSTRUCTION = 500;
export const MAX_WORDS = 1000;
/** Number of suggested subject lines. */
export const SUBJECT_LINES = 5;

/** Addresses of the Anthropic and OpenAI services. */
export const USUAL_ADDRESSES: Record<Protocol, string> = {
  anthropic: 'https://api.anthropic.com',
  openai: 'https://api.openai.com/v1',
};

/** Currencies that services publish prices in, and currencies of the product's languages. */
export const CURRENCIES = ['USD', 'EUR', 'GBP', 'NOK', 'SEK', 'DKK', 'PLN', 'CHF'] as const;
