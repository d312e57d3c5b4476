// Receives report files: emails to a domain's report address, and uploads. The file, its row and
// its job are stored before the response.
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { readReportAddress, type ReportRecipient } from '#areas/domains/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { findConstraint, type Db, inTransaction } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { files } from '#platform/server/files/files.ts';
import { addJob } from '#platform/server/jobs/jobs.ts';
import { receivedFiles } from './metrics.ts';
import { processFileJob } from './process-file-job.ts';
import { parseName } from './reading/values.ts';
import * as store from './reports.sql.ts';

/** The maximum number of files of one domain, or of uploads of one account, in a day. */
export const MAX_FILES_PER_DAY = 2000;
const DAY_MS = 86_400_000;

/** A refusal that the SMTP server sends as its reply (providers/smtp-port.ts). */
class SmtpRefusal extends Error {
  readonly responseCode: number;

  constructor(responseCode: number, message: string) {
    super(message);
    this.responseCode = responseCode;
  }
}

export const acceptsReportFor = (address: string): boolean =>
  readReportAddress(address) !== undefined;

/** @throws SmtpRefusal for a removed domain, and above the daily limit */
export async function receiveReport(
  db: Db,
  email: { to: readonly string[]; bytes: Buffer },
): Promise<void> {
  const recipients = new Map<string, ReportRecipient>();
  for (const address of email.to) {
    const recipient = readReportAddress(address);
    if (recipient) recipients.set(`${recipient.accountId} ${recipient.domainId}`, recipient);
  }
  for (const { accountId, domainId } of recipients.values()) {
    const file = { domainId, origin: 'email' as const, name: '', bytes: email.bytes };
    const row = await storeFile(db, accountId, file).catch((error: unknown) => {
      if (findConstraint(error).endsWith('domain_id_fkey'))
        throw new SmtpRefusal(550, '5.1.1 No such address here');
      throw error;
    });
    if (!row) throw new SmtpRefusal(452, '4.3.1 Too many reports for this domain today');
  }
}

/** @throws `too_many_reports` */
export async function receiveUpload(
  db: Db,
  accountId: number,
  upload: { name: string; bytes: Buffer },
): Promise<store.FileRow> {
  const name = parseName(upload.name);
  const file = { domainId: null, origin: 'upload' as const, name, bytes: upload.bytes };
  const row = await storeFile(db, accountId, file);
  if (!row) throw new AppError('too_many_reports', { values: { count: MAX_FILES_PER_DAY } });
  return row;
}

type NewFile = {
  domainId: number | null;
  origin: 'email' | 'upload';
  name: string;
  bytes: Buffer;
};

/** Stores a file; undefined above the daily limit. */
async function storeFile(
  db: Db,
  accountId: number,
  { domainId, origin, name, bytes }: NewFile,
): Promise<store.FileRow | undefined> {
  const at = clock.now();
  const since = new Date(at.getTime() - DAY_MS);
  if ((await store.countFiles(db, accountId, domainId, since)) >= MAX_FILES_PER_DAY) {
    return undefined;
  }
  const key = `report-files/${accountId}/${randomUUID()}`;
  await files.put(key, Readable.from([bytes]));
  try {
    const row = await inTransaction(db, async (tx) => {
      const size = bytes.length;
      const file = await store.insertFile(tx, accountId, {
        ...{ domainId, origin, name, key, bytes: size, at },
      });
      await addJob(tx, processFileJob, { accountId, fileId: file.id, fileKey: key });
      return file;
    });
    receivedFiles.inc({ origin });
    return row;
  } catch (error) {
    await files.remove(key);
    throw error;
  }
}
