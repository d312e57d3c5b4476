// Checks the certificate of a logo, and its chain. Each mailbox provider has its own list of
// accepted issuers, so the last certificate is not compared with a list of roots.
import { X509Certificate } from 'node:crypto';
import type { BimiFinding } from '../../contract.ts';

/** The extended key usage of certificates of brand indicators. */
const BRAND_INDICATOR = '1.3.6.1.5.5.7.3.31';
/**
 * Chains of public issuers contain two or three certificates. The limit exists because each
 * certificate has to be verified.
 */
const MAX_CERTIFICATES = 10;
const PEM_HEADER = '-----BEGIN CERTIFICATE-----';
const END = '-----END CERTIFICATE-----';

/**
 * `validUntil` is the earliest expiry in the chain; after it the chain no longer proves the logo.
 */
export type CertificateProof = { findings: BimiFinding[]; validUntil: string | null };

/** @param pem the certificate of the logo, followed by its issuers; the root is optional */
export function findCertificateFaults(pem: string, domain: string, at: Date): CertificateProof {
  const chain = parseCertificates(pem);
  const [mark] = chain;
  if (!mark) return { findings: ['certificate_unreadable'], validUntil: null };
  const findings: BimiFinding[] = [];
  if (chain.some(({ validToDate }) => validToDate < at)) findings.push('certificate_expired');
  if (chain.some(({ validFromDate }) => validFromDate > at)) findings.push('certificate_early');
  if (!isForIndicators(mark, chain.slice(1))) findings.push('certificate_purpose');
  if (!isNamed(mark, domain)) findings.push('certificate_domain');
  if (!isChain(chain)) findings.push('certificate_chain');
  const end = chain.reduce(
    (earliest, { validToDate }) => (validToDate < earliest ? validToDate : earliest),
    mark.validToDate,
  );
  return { findings, validUntil: end.toISOString() };
}

/** Returns no certificates if a part of the file is not a certificate. */
function parseCertificates(pem: string): X509Certificate[] {
  try {
    return pem
      .split(PEM_HEADER)
      .slice(1)
      .map((part) => new X509Certificate(`${PEM_HEADER}${part.slice(0, findEnd(part))}`));
  } catch {
    return [];
  }
}

function findEnd(part: string): number {
  const end = part.indexOf(END);
  if (end < 0) throw new Error('The certificate has no end');
  return end + END.length;
}

/**
 * Returns whether the certificates are for brand indicators. Issuers without an extended key usage
 * may issue certificates for any usage.
 */
function isForIndicators(mark: X509Certificate, issuers: readonly X509Certificate[]): boolean {
  const hasUsage = ({ keyUsage }: X509Certificate) => keyUsage?.includes(BRAND_INDICATOR) ?? false;
  return (
    hasUsage(mark) && issuers.every((issuer) => issuer.keyUsage === undefined || hasUsage(issuer))
  );
}

/**
 * Returns whether a name of the certificate is the domain, a parent domain, or the name of the
 * record.
 */
function isNamed({ subjectAltName = '' }: X509Certificate, domain: string): boolean {
  return subjectAltName
    .toLowerCase()
    .split(',')
    .map((name) =>
      name
        .trim()
        .replace(/^dns:/, '')
        .replace(/^default\._bimi\./, ''),
    )
    .some((name) => name !== '' && (domain === name || domain.endsWith(`.${name}`)));
}

/**
 * Returns whether each certificate is signed by the authority that follows it. A single certificate
 * is not sufficient.
 */
function isChain(chain: readonly X509Certificate[]): boolean {
  if (chain.length < 2 || chain.length > MAX_CERTIFICATES) return false;
  return chain.every((certificate, index) => {
    const issuer = chain[index + 1];
    return issuer === undefined || isIssuedBy(certificate, issuer);
  });
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  } catch {
    // An exception is thrown for keys with unknown algorithms.
    return false;
  }
}
