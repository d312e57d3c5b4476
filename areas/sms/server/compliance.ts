// Carrier compliance of a sender (TCPA and CTIA): the accepted terms and, for a toll-free number, a
// form about the business, its SMS and how it collects consent.
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, invalid } from '#platform/server/errors.ts';
import type { Actor } from '#platform/server/http/serve.ts';
import type { Compliance, PhoneVerification } from '../contract.ts';
import { TERMS_VERSION, type VerificationStatus } from '../shared.ts';
import { PhoneVerification as VerificationSchema } from '../phones-contract.ts';
import * as store from './phones.sql.ts';
import { getPhoneRow, readPhone, settlePhone } from './phones.ts';

/** Fields of the form that must be filled in before it is submitted. */
const REQUIRED = [
  'business_name',
  'registration_number',
  'registration_type',
  'registration_country',
  'website',
  'street',
  'city',
  'zip',
  'country',
  'contact_name',
  'contact_email',
  'contact_phone',
  'use_case',
  'use_case_summary',
  'volume',
  'opt_in_kind',
  'opt_in_image',
  'sample',
  'privacy_url',
  'terms_url',
] as const satisfies (keyof PhoneVerification)[];

/** Submits verification forms to a provider that accepts them. */
export type Verifier = {
  submit(values: PhoneVerification, number: string): Promise<'approved' | 'in_review'>;
};

export async function readCompliance(
  db: Reader,
  accountId: number,
  id: number,
  isForwarded: boolean,
): Promise<Omit<Compliance, 'owner'>> {
  const phone = await readPhone(db, accountId, id);
  const [row] = await store.findCompliance(db, accountId, [id]);
  return {
    phone,
    terms:
      row?.terms_at && row.terms_version
        ? {
            version: row.terms_version,
            name: row.terms_name ?? '',
            at: row.terms_at.toISOString(),
            is_current: row.terms_version === TERMS_VERSION,
          }
        : null,
    verification: {
      status: (row?.verification_status ?? 'draft') as VerificationStatus,
      reason: row?.verification_reason ?? null,
      submitted_at: row?.submitted_at?.toISOString() ?? null,
      is_forwarded: isForwarded,
      values: VerificationSchema.parse(row?.verification ?? {}),
    },
  };
}

/** Stores who accepted the terms, when, and the IP address. Carriers may request this data. */
export async function acceptTerms(
  tx: Tx,
  caller: Actor,
  id: number,
  agreement: { version: string; name: string; ip: string },
): Promise<void> {
  await getPhoneRow(tx, caller.accountId, id);
  if (agreement.version !== TERMS_VERSION) throw new AppError('terms_outdated');
  const now = clock.now();
  const row = await store.lockCompliance(tx, caller.accountId, id, now);
  // The first acceptance of a version is retained.
  if (row.terms_version === TERMS_VERSION) return;
  await store.updateCompliance(tx, caller.accountId, id, {
    terms_version: TERMS_VERSION,
    terms_user_id: caller.userId,
    terms_name: agreement.name,
    terms_ip: agreement.ip,
    terms_at: now,
    modified_at: now,
  });
  await settlePhone(tx, caller.accountId, id);
}

export async function saveVerification(
  tx: Tx,
  accountId: number,
  id: number,
  values: PhoneVerification,
): Promise<void> {
  await getPhoneRow(tx, accountId, id);
  const now = clock.now();
  const row = await store.lockCompliance(tx, accountId, id, now);
  requireOpen(row);
  await store.updateCompliance(tx, accountId, id, {
    verification: JSON.stringify(values),
    modified_at: now,
  });
}

/**
 * Submits the form for verification.
 * @param verifier undefined if the product cannot submit forms to the provider: then the user
 * submits the form to the provider and reports its decision
 */
export async function submitVerification(
  tx: Tx,
  accountId: number,
  id: number,
  verifier: Verifier | undefined,
): Promise<void> {
  const phone = await getPhoneRow(tx, accountId, id);
  const now = clock.now();
  const row = await store.lockCompliance(tx, accountId, id, now);
  requireOpen(row);
  if (row.terms_version !== TERMS_VERSION) throw new AppError('terms_missing');
  const values = VerificationSchema.parse(row.verification);
  const missingNames = REQUIRED.filter((name) => values[name] === '' || values[name] === null);
  if (missingNames.length > 0) {
    throw invalid(
      Object.fromEntries(missingNames.map((name) => [name, ['errors.fields.required']])),
    );
  }
  const decision = await verifier?.submit(values, phone.value);
  await store.updateCompliance(tx, accountId, id, {
    verification_status: decision ?? 'submitted',
    verification_reason: null,
    submitted_at: now,
    decided_at: decision === 'approved' ? now : null,
    modified_at: now,
  });
  await settlePhone(tx, accountId, id);
}

export async function decideVerification(
  tx: Tx,
  accountId: number,
  id: number,
  decision: { isApproved: boolean; reason: string | undefined },
): Promise<void> {
  await getPhoneRow(tx, accountId, id);
  const now = clock.now();
  const row = await store.lockCompliance(tx, accountId, id, now);
  if (row.verification_status !== 'submitted' && row.verification_status !== 'in_review') {
    throw new AppError('verification_not_submitted');
  }
  await store.updateCompliance(tx, accountId, id, {
    verification_status: decision.isApproved ? 'approved' : 'rejected',
    verification_reason: decision.isApproved ? null : (decision.reason ?? null),
    decided_at: now,
    modified_at: now,
  });
  await settlePhone(tx, accountId, id);
}

function requireOpen(row: store.ComplianceRow): void {
  if (row.verification_status !== 'draft' && row.verification_status !== 'rejected') {
    throw new AppError('verification_under_way');
  }
}
