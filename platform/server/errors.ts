// The only error that business rules throw: a code and details. HTTP maps it to a status and a
// message.

export type ErrorDetails = {
  /** HTTP status; overrides the status that the contract defines for the code. */
  status?: number;
  /** Field → codes (or complete sentences) of its problems. */
  errors?: Record<string, string[]>;
  /** Values interpolated into the message of the code. */
  values?: Record<string, string | number>;
  /** Added to the response unchanged. */
  extra?: Record<string, unknown>;
  /** Seconds until a retry makes sense (429). */
  retryAfterSeconds?: number;
};

/** Statuses of codes that every call may return; contracts add their own. */
export const COMMON_STATUS: Record<string, number> = {
  unauthorized: 401,
  write_header_missing: 403,
  session_needed: 403,
  missing_right: 403,
  approval_needed: 403,
  approval_requested: 403,
  too_many_approvals: 422,
  network_not_allowed: 403,
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

/** 422 with codes per field (errors.<code> in the catalogs). */
export function invalid(errors: Record<string, string[]>): AppError {
  return new AppError('invalid', { errors });
}
