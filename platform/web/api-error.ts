// The browser's representation of a failed call, for every shape of the server's message.

export interface ApiErrorFacts {
  /** The HTTP status; 0 without a response. */
  status: number;
  code: string;
  message: string;
  /** Messages of each field (422). */
  errors: Record<string, string[]>;
  /** Whether the server's message is shown unchanged. */
  showsServerMessage: boolean;
  /** Seconds to wait, from Retry-After. */
  retryAfterSeconds?: number;
  requestId?: string;
}

export class ApiError extends Error implements ApiErrorFacts {
  status: number;
  code: string;
  errors: Record<string, string[]>;
  showsServerMessage: boolean;
  retryAfterSeconds: number | undefined;
  requestId: string | undefined;

  constructor(details: ApiErrorFacts) {
    super(details.message);
    this.name = 'ApiError';
    this.status = details.status;
    this.code = details.code;
    this.errors = details.errors;
    this.showsServerMessage = details.showsServerMessage;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.requestId = details.requestId;
  }
}

/**
 * Returns true if the server would refuse a retry as well. Other failures, including too many
 * requests, may be temporary.
 */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.status >= 400 && error.status < 500 && error.status !== 429;
}

/** The messages of all fields of a refused form; '' for other failures. */
export const fieldMessages = (error: unknown): string =>
  error instanceof ApiError ? Object.values(error.errors).flat().join(' ') : '';

/** Reads the body of a failed response; a body that is not JSON gives an empty message. */
export async function readApiError(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => undefined);
  const fields = isRecord(body) ? body : {};
  const wait = Number(response.headers.get('retry-after'));
  return new ApiError({
    status: response.status,
    code: typeof fields.code === 'string' ? fields.code : `http_${response.status}`,
    message: joinMessages(fields.message),
    errors: fieldErrors(fields.errors),
    showsServerMessage: fields.raw_message === true,
    retryAfterSeconds: wait > 0 ? wait : undefined,
    requestId: response.headers.get('x-request-id') ?? undefined,
  });
}

/**
 * Returns the error for a call without a response, because the network, a proxy or the server
 * failed.
 */
export function networkError(): ApiError {
  return new ApiError({
    status: 0,
    code: 'network',
    message: '',
    errors: {},
    showsServerMessage: false,
  });
}

/** Joins the strings of a message, possibly nested in objects and lists, into one string. */
export function joinMessages(message: unknown): string {
  if (typeof message === 'string') return message;
  if (Array.isArray(message)) return message.map(joinMessages).filter(Boolean).join(' ');
  if (isRecord(message)) return Object.values(message).map(joinMessages).filter(Boolean).join(' ');
  return '';
}

function fieldErrors(errors: unknown): Record<string, string[]> {
  if (!isRecord(errors)) return {};
  const messagesByField: Record<string, string[]> = {};
  for (const [field, value] of Object.entries(errors)) {
    const messages = (Array.isArray(value) ? value : [value]).map(joinMessages).filter(Boolean);
    if (messages.length > 0) messagesByField[field] = messages;
  }
  return messagesByField;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
