// Checks of an email before sending: content, sender, and the checks of the area that owns the
// email.
import { readAlignment, isVerifiedSender } from '#areas/domains/server/index.ts';
import { readFields } from '#areas/fields/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { clock } from '#platform/server/clock.ts';
import type { ComposingFinding } from '../../composing-contract.ts';
import { sortFindings } from '../checks/check-content.ts';
import { listExpiredFindings } from '../checks/document-findings.ts';
import { type DraftContent, parseReadableDocument } from '../content-source.ts';
import {
  ContentError,
  type ContentFinding,
  type MessageSource,
} from '../personalization/message-source.ts';
import { checkSource } from '../thread.ts';
import { listMissingFindings } from './missing-references.ts';
import type { Email, EmailAdapter, SendingOptions, Variable } from './email.ts';
import { readStoredContent, createPreviewSource } from './source.ts';

type AddFindings = EmailAdapter['addFindings'];

/** Returns all findings before sending, worst first. */
export async function checkEmail(
  db: Reader,
  email: Email,
  options: SendingOptions,
  addFindings?: AddFindings,
): Promise<ComposingFinding[]> {
  const findings = await emailFindings(db, email, options);
  return sortFindings(addFindings ? await addFindings(db, email, findings) : findings);
}

/** Returns the errors in the content and the sender; recipients are not checked. */
export async function listEmailErrors(
  db: Reader,
  email: Email,
  options: SendingOptions,
): Promise<ComposingFinding[]> {
  const findings = await emailFindings(db, email, options);
  return findings.filter(({ severity }) => severity === 'error');
}

async function emailFindings(
  db: Reader,
  email: Email,
  options: SendingOptions,
): Promise<ComposingFinding[]> {
  const inContent = (await listStoredFindings(db, email, options)).map(attachStep);
  return [...inContent, ...(await checkSender(db, email, options))];
}

async function listStoredFindings(
  db: Reader,
  email: Email,
  options: SendingOptions,
): Promise<ContentFinding[]> {
  try {
    const { source, required } = await createPreviewSource(db, email, options);
    const content = await readStoredContent(db, email);
    return await listContentFindings(db, email, { ...source, message_id: 0 }, content, required);
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    return error.findings;
  }
}

/**
 * Checks content, saved or not.
 * @param requiredNames names of variables that need no fallback
 * @throws ContentError
 */
export async function listContentFindings(
  db: Reader,
  { accountId, variables = [] }: Pick<Email, 'accountId' | 'variables'>,
  source: MessageSource,
  content: DraftContent,
  requiredNames: readonly string[] = [],
): Promise<ContentFinding[]> {
  const fields = (await readFields(db, accountId)).map(({ name }) => name);
  const document = content.kind === 'editor' ? parseReadableDocument(content.document) : undefined;
  const missing = await listMissingFindings(db, accountId, source.html ?? '', document);
  const names = [...fields, ...variables.map(firstName), ...requiredNames];
  const sourceFindings = await checkSource(source, names, document);
  const isSupplied = ({ code, values }: ContentFinding) =>
    code === 'tag_without_fallback' && requiredNames.includes(String(values?.name));
  const expiredFindings = document ? listExpiredFindings(document, clock.now()) : [];
  return [
    ...missing,
    ...expiredFindings,
    ...sourceFindings.filter((createFinding) => !isSupplied(createFinding)),
  ];
}

/** Returns the first segment of the path, which identifies a merge tag. */
const firstName = ({ name }: Variable) => name.split('.')[0] as string;

/**
 * Checks the sender against the requirements of mailbox providers: verified, aligned (RFC 9989),
 * and with a DMARC policy.
 */
async function checkSender(
  db: Reader,
  { accountId, envelope }: Email,
  options: SendingOptions,
): Promise<ComposingFinding[]> {
  const { email } = envelope.from;
  if (!options.needsVerifiedSender || email === '') return [];
  const createFinding = (
    code: string,
    severity: ContentFinding['severity'],
  ): ComposingFinding[] => [{ code, severity, step: 'settings', part: 'sender' }];
  if (!(await isVerifiedSender(db, accountId, email))) {
    return createFinding('sender_not_verified', 'error');
  }
  const alignment = await readAlignment(db, accountId, email);
  if (alignment && !alignment.dkim && !alignment.spf) {
    return createFinding('sender_not_aligned', 'warning');
  }
  return alignment?.dmarc_policy === null ? createFinding('sender_without_dmarc', 'tip') : [];
}

const STEP_OF = {
  subject: 'settings',
  preheader: 'settings',
  sender: 'settings',
  html: 'content',
  text: 'content',
} as const;

/** Adds the screen where the finding can be resolved. */
export function attachStep(createFinding: ContentFinding): ComposingFinding {
  const isAddress = createFinding.code === 'postal_address_missing';
  return { ...createFinding, step: isAddress ? 'account' : STEP_OF[createFinding.part] };
}
