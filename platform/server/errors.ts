// The one error that rules throw: a code and details. HTTP turns it into a status and words.

export type ErrorDetails = {
  /** Only where a contract does not name the code's status. */
  status?: number;
  /** Field → codes (or finished sentences) of what is wrong with it. */
  errors?: Record<string, string[]>;
  /** Filled into the words of the code. */
  values?: Record<string, string | number>;
  /** Added to the answer as they are. */
  extra?: Record<string, unknown>;
  /** Seconds after which another try makes sense (429). */
  retryAfter?: number;
};

/** Statuses of the codes that every call may answer; contracts add their own. */
export const COMMON_STATUS: Record<string, number> = {
  unauthorized: 401,
  write_header_missing: 403,
  session_needed: 403,
  not_found: 404,
  stale_revision: 409,
  idempotency_conflict: 422,
  in_progress: 409,
  body_too_large: 413,
  unsupported_media_type: 415,
  invalid: 422,
  work_too_heavy: 422,
  too_many_requests: 429,
  server_error: 500,
  unavailable: 503,
};

export class AppError extends Error {
  readonly code: string;
  readonly details: ErrorDetails;

  constructor(code: string, details: ErrorDetails = {}) {
    super(code);
    this.name = 'AppError';
    this.code = code;
    this.details = details;
  }
}

export function notFound(): AppError {
  return new AppError('not_found');
}

/** 422 with the field's name and the codes (errors.<code> in the catalogues) of what is wrong. */
export function invalid(errors: Record<string, string[]>): AppError {
  return new AppError('invalid', { errors });
}
