// Calls that send a template, ready to be pasted: each is run by a test against the product.

type Setup = {
  id: string;
  to: string;
  publicUrl: string;
  smtp: { port?: number | undefined; tlsPort?: number | undefined };
};

export function setupOf({
  id,
  to,
  publicUrl,
  smtp: ports,
}: Setup): { way: string; code: string }[] {
  const url = `${publicUrl}/v2/message/${id}/send`;
  const body = JSON.stringify({ to: { email: to }, variables: {} });
  return [
    { way: 'curl', code: curl(url, body) },
    { way: 'node', code: node(url, body) },
    { way: 'php', code: php(url, body) },
    { way: 'python', code: python(url, body) },
    { way: 'smtp', code: smtp(id, to, new URL(publicUrl).hostname, ports) },
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
  body: JSON.stringify(${body}),
});
console.log(answer.status, await answer.json());`;

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
echo curl_exec($call);`;

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

/** By the library that most programs in Node.js send mails with; the names are the same in others. */
const smtp = (id: string, to: string, host: string, { port, tlsPort }: Setup['smtp']) =>
  `import nodemailer from 'nodemailer';

const server = nodemailer.createTransport({
  host: ${JSON.stringify(host)},
  port: ${tlsPort ?? port ?? 465},
  secure: ${tlsPort !== undefined || port === undefined},
  auth: { user: process.env.SMTP_USER, pass: process.env.SMTP_PASSWORD },
});
await server.sendMail({
  from: ${JSON.stringify(to)},
  to: ${JSON.stringify(to)},
  subject: 'Your order',
  html: '<p>Thank you.</p>',
  // Counted in the report of this email; 'X-Sendloom-Track': 'no' leaves opens and clicks alone.
  headers: { 'X-Sendloom-Email': ${JSON.stringify(id)} },
});`;
