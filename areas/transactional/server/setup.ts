// Calls that send a template, ready to be pasted: each is run by a test against the product.

type Setup = { id: string; to: string; publicUrl: string };

export function setupOf({ id, to, publicUrl }: Setup): { way: string; code: string }[] {
  const url = `${publicUrl}/v2/message/${id}/send`;
  const body = JSON.stringify({ to: { email: to }, variables: {} });
  return [
    { way: 'curl', code: curl(url, body) },
    { way: 'node', code: node(url, body) },
    { way: 'php', code: php(url, body) },
    { way: 'python', code: python(url, body) },
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
