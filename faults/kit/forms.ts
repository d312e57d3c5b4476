// Creates a published form of a new owner over HTTP, as an owner would.
export async function newForm(
  base: string,
  settings: object,
): Promise<{ id: string; hash: string }> {
  const asJson = { 'x-sendloom': '1', 'content-type': 'application/json' };
  const signedUp = await fetch(`${base}/auth/api/sign-up`, {
    method: 'POST',
    headers: asJson,
    body: JSON.stringify({ email: 'owner@faults.example', password: 'correct horse battery' }),
  });
  if (!signedUp.ok) throw new Error(await signedUp.text());
  const cookie = signedUp.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
  const callApi = async (method: string, path: string, body: object) => {
    const response = await fetch(`${base}/client-api/api/forms${path}`, {
      method,
      headers: { ...asJson, cookie },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(await response.text());
    return ((await response.json()) as { data: { id: string; settings: { embed_hash: string } } })
      .data;
  };
  const { id } = await callApi('POST', '', { type: 'embed', title: 'Faults' });
  const form = await callApi('PATCH', `/${id}`, { is_active: 1, settings });
  return { id, hash: form.settings.embed_hash };
}
