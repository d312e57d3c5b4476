// SMTP submission of transactional emails by programs; off unless a port is configured.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readSendingOptions } from '#areas/content/server/index.ts';
import { signInBySmtp, submitEmail } from '#areas/transactional/server/index.ts';
import { MAX_SMTP_EMAIL_BYTES, MAX_SMTP_RECIPIENTS } from '#areas/transactional/shared.ts';
import { CannotStart } from '#platform/server/process/cannot-start.ts';
import type { Config } from '#platform/server/config.ts';
import type { Db } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { log } from '#platform/server/log.ts';
import type { MetricSample } from '#platform/server/metrics.ts';
import {
  SubmissionRefusal,
  startSubmission,
  type SubmissionServer,
} from '#providers/submission/index.ts';

export async function startSubmissionServer(
  config: Config,
  db: Db,
): Promise<SubmissionServer | undefined> {
  const { submission } = config;
  if (submission.port === undefined && submission.tlsPort === undefined) return undefined;
  const options = readSendingOptions(config);
  return await startSubmission({
    ...submission,
    maxEmailBytes: MAX_SMTP_EMAIL_BYTES,
    maxRecipients: MAX_SMTP_RECIPIENTS,
    signIn: (name, password) => signInBySmtp(db, name, password),
    accept: async (email) => {
      await submitEmail(db, email, options).catch((error: unknown) => {
        throw error instanceof AppError ? new SubmissionRefusal(sentenceOf(error)) : error;
      });
    },
    onError: (error) => log.error('Could not accept an email by SMTP', { error }),
  }).catch((error: { code?: string }) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new CannotStart('The port in SUBMISSION_PORT or SUBMISSION_TLS_PORT is in use.');
  });
}

/**
 * Returns the expiry of the certificate that this process serves. Reads it once, like the SMTP
 * server: a renewed file takes effect at the next start.
 */
export function certificateFigures({ submission }: Config): () => Promise<MetricSample[]> {
  const { certificate, port, tlsPort } = submission;
  const isServed = certificate !== undefined && (port ?? tlsPort) !== undefined;
  const values = isServed
    ? [{ labels: { certificate: 'submission' }, value: expiryOf(certificate.cert) }]
    : [];
  return async () => [
    {
      kind: 'gauge',
      name: 'certificate_expiry_timestamp_seconds',
      help: 'Expiry of a certificate that this process serves, as seconds since 1970',
      values,
    },
  ];
}

function expiryOf(file: string): number {
  try {
    return new X509Certificate(readFileSync(file)).validToDate.getTime() / 1_000;
  } catch (error) {
    throw new CannotStart(
      `SUBMISSION_CERT (${file}) is not a readable certificate in PEM format: ${(error as Error).message}.`,
    );
  }
}

const SENTENCES: Record<string, string> = {
  unauthorized: 'The SMTP user was deleted',
  missing_right: 'The creator of the SMTP user may not send transactional email',
  sender_missing: 'The From header is missing or names no address',
  sender_not_verified: 'The domain of the sender is not verified in this account',
  header_refused: 'A header cannot be set',
  attachment_refused: 'An attachment is refused: at most 10, 10 MB in total, no executable files',
  work_too_heavy: 'Timed out while parsing the email',
  mail_unreadable: 'The email cannot be read: it is nested too deeply, or its headers are too long',
  not_found: 'X-Sendloom-Email names no transactional email of this account',
};

const sentenceOf = ({ code }: AppError) => SENTENCES[code] ?? `Email rejected: ${code}`;
