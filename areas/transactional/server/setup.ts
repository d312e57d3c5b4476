// Code samples, ready to paste. They send a template through the API or, through SMTP, an email
// with its own content that is counted in the template's report. Tests run each sample against the
// product.

/**
 * Ports of SMTP submission. With a port but no certificate, the product creates a certificate and
 * listens on the loopback interface only.
 */
export type SubmissionPorts = {
  port?: number | undefined;
  tlsPort?: number | undefined;
  certificate?: object | undefined;
};
type Setup = {
  id: string;
  to: string;
  /** Sample values of the template's variables. */
  variables: Record<string, unknown>;
  publicUrl: string;
  smtp: SubmissionPorts;
};

export function buildCodeSamples({
  id,
  to: recipient,
  variables,
  publicUrl,
  smtp: ports,
}: Setup): { way: string; code: string }[] {
  const url = `${publicUrl}/v2/message/${id}/send`;
  const call = { to: { email: recipient }, variables };
  const body = JSON.stringify(call);
  const lines = JSON.stringify(call, null, 2);
  return [
    { way: 'curl', code: curl(url, lines) },
    { way: 'node', code: node(url, lines) },
    { way: 'php', code: php(url, body) },
    { way: 'python', code: python(url, body) },
    { way: 'smtp', code: smtp(id, recipient, new URL(publicUrl).hostname, ports) },
  ];
}

const curl = (url: string, body: string) => `curl --fail-with-body '${url}' \\
  -H "Authorization: Bearer $SENDLOOM_TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '${body.replaceAll("'", "'\\''")}'`;

const node = (url: string, body: string) => `const answer = await fetch(${JSON.stringify(url)}, {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.SENDLOOM_TOKEN}\`,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify(${body.replaceAll('\n', '\n  ')}),
});
if (!answer.ok) throw new Error(await answer.text());
console.log(await answer.json());`;

const php = (url: string, body: string) => `<?php
$call = curl_init('${url}');
curl_setopt_array($call, [
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => [
        'Authorization: Bearer ' . getenv('SENDLOOM_TOKEN'),
        'Content-Type: application/json',
    ],
    CURLOPT_POSTFIELDS => '${body.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}',
]);
$answer = curl_exec($call);
if (curl_getinfo($call, CURLINFO_RESPONSE_CODE) !== 200) {
    throw new RuntimeException($answer ?: curl_error($call));
}
echo $answer;`;

const python = (url: string, body: string) => `import os
import urllib.request

call = urllib.request.Request(
    ${JSON.stringify(url)},
    data=${JSON.stringify(body)}.encode(),
    headers={
        "Authorization": "Bearer " + os.environ["SENDLOOM_TOKEN"],
        "Content-Type": "application/json",
    },
)
print(urllib.request.urlopen(call).read().decode())`;

/** Option for a server that created its own certificate. */
const SELF_MADE = `
  // The certificate of this machine is self-signed.
  tls: { rejectUnauthorized: false },`;

const SMTP_OFF =
  '// This server does not accept emails by SMTP yet: set SUBMISSION_PORT or SUBMISSION_TLS_PORT.\n';

/**
 * Returns a sample for Nodemailer, the most common email library of Node.js. Other libraries need
 * the same settings.
 */
function smtp(
  id: string,
  recipient: string,
  host: string,
  { port, tlsPort, certificate }: SubmissionPorts,
) {
  const isSelfMade = certificate === undefined && (port !== undefined || tlsPort !== undefined);
  const isOff = port === undefined && tlsPort === undefined;
  return `${isOff ? SMTP_OFF : ''}import nodemailer from 'nodemailer';

const server = nodemailer.createTransport({
  host: ${JSON.stringify(host)},
  port: ${tlsPort ?? port ?? 465},
  secure: ${tlsPort !== undefined || port === undefined},
  auth: { user: process.env.SMTP_USER, pass: process.env.SMTP_PASSWORD },${isSelfMade ? SELF_MADE : ''}
});
await server.sendMail({
  from: ${JSON.stringify(recipient)},
  to: ${JSON.stringify(recipient)},
  subject: 'Your order',
  html: '<p>Thank you.</p>',
  // Counted in the report of this email; 'X-Sendloom-Track': 'no' disables tracking of opens and
  // clicks.
  headers: { 'X-Sendloom-Email': ${JSON.stringify(id)} },
});`;
}
